package design

import (
	"io"

	"linerate/internal/base/unit"
	"linerate/internal/design/suggest"
	"linerate/internal/record"
	"linerate/internal/report/format"
)

// SuggestSchema is the schema of suggestions as JSON.
const SuggestSchema = "linerate/suggest/1"

type suggestJSON struct {
	Schema       string           `json:"schema"`
	Requirements requirementsJSON `json:"requirements"`
	Designs      []designJSON     `json:"designs"`
	Failing      []designJSON     `json:"failing"`
	Crossing     *crossingJSON    `json:"crossing"`
}

type requirementsJSON struct {
	Hosts    int          `json:"hosts"`
	Rate     unit.BitRate `json:"bits_per_second"`
	Distance float64      `json:"distance_m"`
	RDMA     string       `json:"rdma,omitempty"`
	MaxWatts float64      `json:"max_watts,omitempty"`
	MaxPrice *moneyJSON   `json:"max_price,omitempty"`
	Systems  []string     `json:"os"`
	Slots    int          `json:"slots"`
}

type moneyJSON struct {
	Amount   unit.Money `json:"amount"`
	Currency string     `json:"currency"`
}

type designJSON struct {
	Number     int               `json:"number,omitempty"` // as --design takes it; of designs that fulfil the requirements
	Name       string            `json:"name"`
	Technology string            `json:"technology"`
	Topology   string            `json:"topology"`
	Switch     *string           `json:"switch"`
	Cost       []record.BOMTotal `json:"totals"`
	Unpriced   int               `json:"unpriced"`
	Estimates  []estimateJSON    `json:"estimates"` // of pieces without a known price
	WattsLow   *float64          `json:"watts_low"` // of the parts of which it is known; null: of none
	WattsHigh  *float64          `json:"watts_high"`
	NoWatts    int               `json:"watts_unknown"`
	NICs       int               `json:"nics"`
	Ports      int               `json:"ports"`
	Cables     int               `json:"cables"`
	Rate       *unit.BitRate     `json:"bits_per_second"`
	Hosts      []designHost      `json:"hosts"`
	Systems    []designSystem    `json:"systems"`
	Fails      []string          `json:"fails"`
	Unknown    []string          `json:"unknown"`
	Notes      []string          `json:"notes"`
	Problems   []record.Problem  `json:"problems"`
	Fabric     string            `json:"fabric,omitempty"` // the file's text
}

type estimateJSON struct {
	Part  string    `json:"part"`
	Count int       `json:"count"`
	Each  moneyJSON `json:"each"`
	From  string    `json:"from"`
}

type designHost struct {
	Name  string `json:"name"`
	OS    string `json:"os"`
	Part  string `json:"part"`
	Count int    `json:"count"`
}

type designSystem struct {
	OS     string         `json:"os"`
	Part   string         `json:"part"`
	Driver *string        `json:"driver"`
	Status string         `json:"status,omitempty"`
	RDMA   []string       `json:"rdma"` // known to work; null: not known
	PFC    unit.Opt[bool] `json:"pfc"`
	SRIOV  unit.Opt[bool] `json:"sriov"`
}

type crossingJSON struct {
	Line     string            `json:"line"`
	Rows     []crossingRowJSON `json:"rows"`
	MeshEnds int               `json:"mesh_ends_at"` // hosts from which on there is no mesh; 0: none was found
	Why      string            `json:"mesh_ends_why,omitempty"`
	Switch   *string           `json:"switch"`
	From     *int              `json:"cheaper_from"` // hosts from which on that switch costs less; null: not known
}

type crossingRowJSON struct {
	Hosts  int        `json:"hosts"`
	Mesh   countJSON  `json:"mesh"`
	Star   countJSON  `json:"star"`
	Below  *moneyJSON `json:"switch_below"`
	Reason string     `json:"reason,omitempty"`
}

type countJSON struct {
	Ports     int        `json:"ports"`
	NICs      int        `json:"nics"`
	Cables    int        `json:"cables"`
	Cost      *moneyJSON `json:"cost"`
	Estimated bool       `json:"estimated,omitempty"` // the cost contains estimates
	Unpriced  int        `json:"unpriced"`
}

// SuggestJSON writes all designs of an answer as one object.
func SuggestJSON(w io.Writer, a *suggest.Answer) error {
	v := suggestJSON{Schema: SuggestSchema, Designs: []designJSON{}, Failing: []designJSON{},
		Requirements: requirementsJSON{Hosts: a.Requirements.Hosts, Rate: a.Requirements.Rate,
			Distance: a.Requirements.Distance,
			RDMA:     a.Requirements.RDMA, MaxWatts: a.Requirements.Watts, Slots: a.Requirements.Slots, Systems: []string{}}}
	if a.Requirements.Price.Currency != "" {
		v.Requirements.MaxPrice = moneyOf(&a.Requirements.Price)
	}
	for _, s := range a.Requirements.Systems {
		v.Requirements.Systems = append(v.Requirements.Systems, s.String())
	}
	for i, d := range a.Designs {
		v.Designs = append(v.Designs, designOf(d, i+1))
	}
	for _, d := range a.Failing {
		v.Failing = append(v.Failing, designOf(d, 0))
	}
	if x := a.Crossing; x != nil {
		c := &crossingJSON{Line: x.Line, Rows: []crossingRowJSON{}, MeshEnds: x.Ends, Why: x.EndsWhy}
		for _, r := range x.Rows {
			c.Rows = append(c.Rows,
				crossingRowJSON{Hosts: r.Hosts, Mesh: countOf(r.Mesh), Star: countOf(r.Star), Below: moneyOf(r.Below),
					Reason: r.BelowUnknown})
		}
		if x.Switch != nil {
			c.Switch = &x.Switch.ID
		}
		if x.From > 0 {
			c.From = &x.From
		}
		v.Crossing = c
	}
	return format.Write(w, "suggest", v)
}

func moneyOf(m *unit.Money) *moneyJSON {
	if m == nil {
		return nil
	}
	return &moneyJSON{*m, m.Currency}
}

func countOf(c suggest.Count) countJSON {
	return countJSON{c.Ports, c.NICs, c.Cables, moneyOf(c.Cost), c.Estimated, c.Unpriced}
}

func designOf(d *suggest.Design, number int) designJSON {
	v := designJSON{Number: number, Name: d.Name, Technology: string(d.Technology), Topology: d.Topology(),
		Cost: []record.BOMTotal{}, Estimates: []estimateJSON{}, Unpriced: d.Unpriced, NoWatts: d.Power.Missing,
		NICs: d.NICs, Ports: d.Ports,
		Cables: d.Cables, Hosts: []designHost{}, Systems: []designSystem{}, Fails: listOf(d.Fails),
		Unknown: listOf(d.Unknown), Notes: listOf(d.Notes), Problems: []record.Problem{}, Fabric: string(d.YAML)}
	if d.Switch != nil {
		v.Switch = &d.Switch.ID
	}
	if d.Power.Known > 0 {
		v.WattsLow, v.WattsHigh = &d.Power.Low, &d.Power.High
	}
	if d.Rate > 0 {
		v.Rate = &d.Rate
	}
	if d.Plan != nil {
		v.Cost = append(v.Cost, d.Plan.BOM.Totals...)
		v.Problems = append(v.Problems, d.Plan.Problems...)
	}
	for _, e := range d.Estimates {
		v.Estimates = append(v.Estimates, estimateJSON{e.Part, e.Count, *moneyOf(&e.Each), e.From})
	}
	for _, h := range d.Hosts {
		v.Hosts = append(v.Hosts, designHost{h.Name, h.System.String(), h.NIC.ID, h.Count})
	}
	for _, c := range d.Systems() {
		s := designSystem{OS: c.System.String(), Part: c.NIC.ID, Status: c.Driver.Status, PFC: c.Driver.PFC,
			SRIOV: c.Driver.SRIOV}
		if c.Driver.Driver != "" {
			s.Driver = &c.Driver.Driver
		}
		for _, t := range c.NIC.RDMA {
			if c.NIC.RDMAOn(c.System.Drivers(), t).Or(false) {
				s.RDMA = append(s.RDMA, t)
			}
		}
		v.Systems = append(v.Systems, s)
	}
	return v
}

func listOf(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
