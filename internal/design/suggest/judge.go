package suggest

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

// judge compares a planned design with the requirement.
func (m *maker) judge(d *Design, l line) {
	p := d.Plan
	d.Cables = len(p.Links)
	for _, link := range p.Links {
		for _, e := range link.Ends {
			if e.Host != "" {
				d.Ports++
			}
		}
		if link.Speed == 0 {
			d.doubt("the rate of its links")
		} else if d.Rate == 0 || link.Speed < d.Rate {
			d.Rate = link.Speed
		}
	}
	if d.Rate > 0 && d.Rate < m.requirements.Rate {
		d.fail(fmt.Sprintf("its links run at %s", d.Rate))
	}
	for _, problem := range p.Problems {
		if problem.Severity == record.Error {
			d.fail(problem.Message)
		}
	}
	m.pricing(d, l)
	d.faster = d.Rate != m.requirements.Rate && slices.Contains(speeds, m.requirements.Rate)
	d.longer = longerThanNeeded(l, m.requirements.Distance)
	if l.fibre != "" {
		d.note(fmt.Sprintf("each pair of transceivers takes a fibre (%s), of which no price is known", l.fibre))
	}
	d.Power = p.Power()
	if l.aoc {
		d.Power.Missing += d.Cables
	}
	m.price(d)
	m.watts(d)
	if d.Switch != nil {
		m.lossless(d)
	}
	if l.tech == InfiniBand {
		d.note("InfiniBand needs a subnet manager: opensm on one host, or the switch's own")
		if l.part == nil || len(l.part.InfiniBand) == 0 {
			d.doubt("which InfiniBand rate its cables carry")
		}
	}
}

// price compares the known cost with the limit. Unknown costs may exceed it.
func (m *maker) price(d *Design) {
	limit := m.requirements.Price
	if limit.Currency == "" {
		return
	}
	other := ""
	for _, t := range d.Plan.BOM.Totals {
		switch {
		case t.Currency == limit.Currency && t.Amount.Amount() > limit.Amount():
			d.fail(fmt.Sprintf("what is known of its price is %s already", t.Amount))
		case t.Currency != limit.Currency && t.Amount.Amount() > 0:
			other = t.Amount.String()
		}
	}
	if other != "" {
		d.doubt(
			fmt.Sprintf("whether it costs at most %s: %s of it are in another currency, which is not converted", limit, other),
		)
	} else if d.Unpriced > 0 {
		d.doubt(fmt.Sprintf("whether it costs at most %s: %s no known price", limit, have(d.Unpriced)))
	}
}

func have(n int) string {
	if n == 1 {
		return "1 part has"
	}
	return fmt.Sprintf("%d parts have", n)
}

// watts compares the known power draw with the limit.
func (m *maker) watts(d *Design) {
	limit := m.requirements.Watts
	switch {
	case limit == 0:
	case d.Power.High > limit:
		d.fail(fmt.Sprintf("what is known of its draw is up to %s W already", unit.Significant(d.Power.High)))
	case d.Power.Missing > 0:
		d.doubt(fmt.Sprintf("whether it draws at most %g W: of %s it is not known", limit,
			unit.Counted(d.Power.Missing, "part")))
	}
}

// lossless: RoCE through a switch needs PFC; iWARP and InfiniBand do not.
func (m *maker) lossless(d *Design) {
	if m.requirements.RDMA != "rocev1" && m.requirements.RDMA != "rocev2" || d.Switch.Switch == nil {
		return
	}
	switch pfc, ok := d.Switch.Switch.PFC.Get(); {
	case !ok:
		d.doubt("PFC of " + d.Switch.Name)
	case !pfc:
		d.fail(d.Switch.Name + " has no PFC, and RoCE wants a network that drops nothing")
	}
}

// Can is the abilities of one NIC under one system of a design.
type Can struct {
	System    System
	NIC       *catalog.Part
	Driver    catalog.Driver
	HasDriver bool
}

// Systems lists each system's NICs once.
func (d *Design) Systems() []Can {
	var all []Can
	seen := map[string]bool{}
	for _, h := range d.Hosts {
		key := h.System.String() + "\x00" + h.NIC.ID
		if seen[key] {
			continue
		}
		seen[key] = true
		c := Can{System: h.System, NIC: h.NIC}
		c.Driver, c.HasDriver = h.NIC.On(h.System.Drivers())
		all = append(all, c)
	}
	return all
}

// speeds are those of Ethernet that are sold: who requires one of them means links of this speed. Another rate, such as
// 16G, is what the links have to carry at least.
var speeds = []unit.BitRate{1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 50e9, 100e9, 200e9, 400e9}
