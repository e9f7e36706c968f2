package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// A card's bus or link as the ceiling that is reached: the check says what is wrong with it, the goodput that it is what binds.
var (
	pcieDegraded = onCard("pcie-degraded", "a PCI Express link that came up slower or narrower than it can", bus)
	pcieUpstream = onCard("pcie-upstream", "a bridge between card and processor that carries less than the card", bus)
	linkSpeed    = onCard("link-speed", "a link at a lower speed than planned", wire)
)

// onCard is a cause that a check finds in the state of an end's card. Goodput that comes near to what that component carries is the effect;
// the component is nil where its rate is not known, or where it is not the one that binds.
func onCard(id, title string, component func(Side, *facts.Interface) *record.Hop) Cause {
	return Cause{ID: id, Title: title, RDMA: true, Test: func(c *Case) *Match {
		for _, s := range []Side{c.Sender, c.Receiver} {
			nic, f := s.NIC(), c.state(id, s, "")
			if nic == nil || f == nil {
				continue
			}
			if hop := component(s, nic); hop != nil {
				return c.belowPlan(id, s, hop, f)
			}
		}
		return nil
	}}
}

func bus(s Side, nic *facts.Interface) *record.Hop {
	port := path.OfPort(s.Shots.After, nic, s.Shots.After.PCIeHops(nic.PCI))
	if hop, _ := port.Narrowest(); hop != nil && hop.Kind == "pcie" {
		return hop
	}
	return nil
}

func wire(s Side, nic *facts.Interface) *record.Hop {
	port := path.OfPort(s.Shots.After, nic, nil)
	if !port.Link.Rate.IsKnown() {
		return nil
	}
	return &port.Link
}

// reached is how near to a component's own ceiling goodput must come for that component to be what binds, and how far above it a
// formula may be wrong: PCI Express' acknowledgements and credits are reckoned at their worst.
const (
	reached = 0.85
	formula = 1.12
)

// belowPlan holds goodput against a component that carries less than planned; nil if it is no limit below the planned ones.
func (c *Case) belowPlan(id string, s Side, hop *record.Hop, f *record.Finding) *Match {
	allows := float64(hop.Rate.Or(0)) * c.scale()
	if allows <= 0 || c.Ceiling > 0 && allows >= atCeiling*c.Ceiling {
		return nil
	}
	m := &Match{
		Strength: Candidate, Component: s.Host + ": " + hop.Component,
		Sentence: fmt.Sprintf("%s is held back by %s: %s has %s instead of %s, and carries %s at most.", c.subject(), s.Host, hop.Component, f.Have, f.Want, rate(allows)),
		Fix:      fromCheck(s.Host, f.Fix), Undo: fromCheck(s.Host, f.Undo),
		NextCeiling: c.nextCeiling(""),
	}
	for _, e := range f.Evidence {
		m.Evidence = append(m.Evidence, record.Evidence{Host: e.Host, Source: e.Source, Counter: id, Text: e.Line})
	}
	m.Evidence = append(m.Evidence, record.Evidence{Host: c.Receiver.Host, Source: "receiver's bytes", Counter: "goodput", After: ptr(c.Goodput), Unit: "bit/s",
		Text: fmt.Sprintf("goodput %s, %s of what it carries (%s)", rate(c.Goodput), unit.Percent(c.Goodput/allows), hop.Formula)})
	if c.Goodput >= reached*allows && c.Goodput <= formula*allows {
		m.Strength = Likely
	}
	if d, ok := closes(allows, c.Goodput); ok {
		m.Strength = Proved
		m.Identity = &record.Identity{Left: hop.Component + " carries " + rate(allows), Right: "goodput " + rate(c.Goodput), Difference: d}
	}
	return m
}

// scale is by how much all rates of a lab are smaller than those that its hosts tell of; 1 outside of one.
func (c *Case) scale() float64 {
	if c.Scale > 0 {
		return c.Scale
	}
	return 1
}
