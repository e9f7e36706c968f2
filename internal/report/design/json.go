package design

import (
	"cmp"
	"io"
	"reflect"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/report/format"
)

// PlanSchema is the schema of a plan's JSON.
const PlanSchema = "linerate/plan/1"

type planJSON struct {
	Schema    string           `json:"schema"`
	Name      string           `json:"name"`
	Variant   string           `json:"variant,omitempty"`
	BOM       plan.BOM         `json:"bom"`
	Cables    []cableJSON      `json:"cables"`
	Addresses []addressJSON    `json:"addresses"`
	NICs      []nicJSON        `json:"nics"`
	Problems  []record.Problem `json:"problems"`
	// Files are the files of a plan's folder with the SHA-256 of what linerate wrote
	// there; a second one is that of the file that the first is about to replace.
	Files map[string][]string `json:"files,omitempty"`
}

type cableJSON struct {
	Label     string    `json:"label"`
	Ends      [2]string `json:"ends"`
	EndLabels [2]string `json:"end_labels"`
	Part      *string   `json:"part"`
	Length    *float64  `json:"length_m"`
	Rate      *float64  `json:"bits_per_second"`
	Link      string    `json:"link"`
}

type addressJSON struct {
	Host      string `json:"host"`
	Port      string `json:"port"`
	Interface string `json:"interface"`
	Address   string `json:"address"`
	Prefix    int    `json:"prefix"`
	Subnet    string `json:"subnet"`
	Link      string `json:"link"`
	// From is the origin of the interface's name: the file, or the lab. A lab's name does not exist on the host. Expected
	// is then the name that the host's driver assigns, if its scheme is known.
	From     string `json:"interface_from"`
	Expected string `json:"interface_expected,omitempty"`
	VLAN     int    `json:"vlan,omitempty"`
	MTU      int    `json:"mtu"`
	Label    string `json:"label,omitempty"` // of the cable, or of those of a bond: "C4, C5"
}

// nicJSON is a NIC in its machine.
type nicJSON struct {
	ID    string        `json:"nic"`
	Part  *string       `json:"part"`
	Slot  *string       `json:"slot"` // as the file has it
	Ports int           `json:"ports_in_use"`
	Rate  *float64      `json:"bits_per_second"` // of the ports in use
	Edge  *catalog.PCIe `json:"pcie"`            // the NIC's own
	// Any of these slots is enough. If the NIC's own edge is not known, the slot must match that, too.
	Least     []string `json:"least_slots"`
	Short     bool     `json:"short,omitempty"` // even the NIC's whole edge is too slow for its ports
	System    string   `json:"system,omitempty"`
	Driver    *string  `json:"driver"`        // null: no source of the catalogue says so
	Status    *string  `json:"driver_status"` // as the catalogue has it
	KnownFrom []string `json:"driver_known_from,omitempty"`
}

// JSON writes a plan as one object in base units (schema linerate/plan/1).
func JSON(w io.Writer, p *plan.Plan) error { return PlanFile(w, p, nil) }

// PlanFile is PlanJSON for a plan's folder: it also names the other files there.
func PlanFile(w io.Writer, p *plan.Plan, files map[string][]string) error {
	v := planJSON{Files: files, Schema: PlanSchema, Name: p.Name, Variant: p.Variant, BOM: p.BOM, Cables: []cableJSON{},
		Addresses: []addressJSON{}, Problems: p.Problems}
	if v.BOM.Items == nil {
		v.BOM.Items = []plan.BOMItem{}
	}
	if v.BOM.Totals == nil {
		v.BOM.Totals = []record.BOMTotal{}
	}
	if v.Problems == nil {
		v.Problems = []record.Problem{}
	}
	for _, l := range p.Links {
		c := cableJSON{Label: l.Label, Ends: [2]string{l.Ends[0].ID, l.Ends[1].ID}, EndLabels: l.EndLabel, Link: l.Name}
		if l.Cable != nil {
			id := l.Cable.ID
			c.Part = &id
		}
		if m, ok := l.LengthM.Get(); ok {
			c.Length = &m
		}
		if l.Speed > 0 {
			rate := float64(l.Speed)
			c.Rate = &rate
		}
		v.Cables = append(v.Cables, c)
	}
	vlans, labels := map[string]int{}, map[string]string{}
	for _, l := range p.Links {
		vlans[l.Name], labels[l.Name] = l.VLAN, l.Label
	}
	bonds := map[string]string{} // all cables of a bond
	addresses, _ := addressViews(p)
	for _, a := range addresses {
		bonds[a.Port] = a.Cable
	}
	for _, h := range p.Hosts {
		expected := h.Expected()
		for _, port := range h.Ports {
			if !port.Address.IsValid() {
				continue
			}
			from := unit.If(port.Declared, "file", "lab")
			v.Addresses = append(v.Addresses, addressJSON{Host: h.Name, Port: port.ID, Interface: port.Interface,
				Address: port.Address.Addr().String(), Prefix: port.Address.Bits(), Subnet: port.Address.Masked().String(),
				Link: port.Link, From: from, Expected: expected[port.ID], VLAN: vlans[port.Link],
				MTU: port.MTU, Label: cmp.Or(bonds[format.Clean(port.ID)], labels[port.Link])})
		}
	}
	v.NICs = nicsJSON(p)
	return format.Write(w, "plan", v)
}

func nicsJSON(p *plan.Plan) []nicJSON {
	out := []nicJSON{}
	for _, c := range p.NICs() {
		v := nicJSON{ID: c.ID(), Ports: c.Need.Ports, Edge: c.Need.Edge, Least: []string{}, Short: c.Need.Short,
			System: c.System}
		if c.Part != nil {
			v.Part = &c.Part.ID
		}
		if c.Slot != "" {
			v.Slot = &c.Slot
		}
		if c.Need.Sum > 0 {
			rate := float64(c.Need.Sum)
			v.Rate = &rate
		}
		for _, l := range c.Need.Least {
			v.Least = append(v.Least, plan.Bus(l))
		}
		if d := c.Driver; d != nil {
			if d.Driver != "" {
				v.Driver = &d.Driver
			}
			if d.Status != "" {
				v.Status = &d.Status
			}
			for _, s := range d.From {
				v.KnownFrom = append(v.KnownFrom, s.Words())
			}
		}
		out = append(out, v)
	}
	return out
}

// Kinds returns the types that this package writes as JSON, by the kind in "linerate/KIND/1".
func Kinds() map[string]reflect.Type {
	return map[string]reflect.Type{"plan": reflect.TypeFor[planJSON](),
		"plan-compare": reflect.TypeFor[planCompareJSON](), "suggest": reflect.TypeFor[suggestJSON]()}
}
