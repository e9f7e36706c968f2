package cause

import (
	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// narrowSlot is the meaning of a slot or bridge that is too slow.
const narrowSlot = "The NIC's way into its machine is narrower than it should be: data wait there, and the cable " +
	"could " +
	"carry more."

// A NIC's bus or link as the bottleneck: the check finds the fault, and the goodput at its ceiling shows that it
// limits.
var (
	pcieDegraded = onNIC(bus, judge.Cause{ID: "pcie-degraded",
		Title: "a PCI Express link that came up slower or narrower than it can", Plain: narrowSlot})
	pcieUpstream = onNIC(bus, judge.Cause{ID: "pcie-upstream",
		Title: "a bridge between NIC and CPU that carries less than the NIC", Plain: narrowSlot})
	linkSpeed = onNIC(wire, judge.Cause{ID: "link-speed", Title: "a link at a lower speed than planned",
		Plain: "The two ends agreed on a lower speed than their ports are made for: a bad cable or module does that."})
)

// onNIC is a cause that a check finds in the state of an end's NIC. The effect is goodput near the ceiling of that
// component. The component is nil where its rate is not known, or where it does not limit.
func onNIC(component func(judge.Side, *facts.Interface) *record.Hop, cause judge.Cause) judge.Cause {
	cause.Applies = judge.AnyTransport
	cause.Test = func(c *judge.Case) *judge.Match {
		for _, s := range []judge.Side{c.Sender, c.Receiver} {
			nic, f := s.NIC(), c.State(cause.ID, s, "")
			if nic == nil || f == nil {
				continue
			}
			if hop := component(s, nic); hop != nil {
				return belowPlan(c, cause.ID, s, hop, f)
			}
		}
		return nil
	}
	return cause
}

func bus(s judge.Side, nic *facts.Interface) *record.Hop {
	port := path.OfPort(s.Shots.After, nic, s.Shots.After.PCIeHops(nic.PCI))
	if hop, _ := port.Narrowest(); hop != nil && hop.Kind == "pcie" {
		return hop
	}
	return nil
}

func wire(s judge.Side, nic *facts.Interface) *record.Hop {
	port := path.OfPort(s.Shots.After, nic, nil)
	if !port.Link.Rate.IsKnown() {
		return nil
	}
	return &port.Link
}

// The shares of a component's ceiling between which goodput must be for the component to be the bottleneck. It may be
// above, because the formula assumes the worst for PCI Express acknowledgements and credits.
const (
	reached = 0.85
	formula = 1.12
)

// belowPlan compares goodput with a component that is slower than planned; nil if it is not below the planned ceilings.
func belowPlan(c *judge.Case, id string, s judge.Side, hop *record.Hop, f *record.Finding) *judge.Match {
	allows := float64(hop.Rate.Or(0)) * scale(c)
	if allows <= 0 || c.Ceiling > 0 && allows >= judge.AtCeiling*c.Ceiling {
		return nil
	}
	m := c.Candidate(s.Host+": "+hop.Component, "is held back by %s: %s has %s instead of %s, and carries %s at most.",
		s.Host, hop.Component, f.Have, f.Want, judge.Rate(allows))
	m.FromCheck(s.Host, f)
	for _, e := range f.Evidence {
		m.Add(record.Evidence{Host: e.Host, Source: e.Source, Counter: id, Text: e.Line})
	}
	m.Add(judge.Reading(c.Receiver.Host, "receiver's bytes", "goodput", c.Goodput, "bit/s", "goodput %s, %s of what it "+
		"carries (%s)", judge.Rate(c.Goodput), unit.Percent(c.Goodput/allows), hop.Formula))
	if c.Goodput >= reached*allows && c.Goodput <= formula*allows {
		m.Strength = judge.Likely
	}
	m.Proves(allows, c.Goodput, hop.Component+" carries "+judge.Rate(allows), "goodput "+judge.Rate(c.Goodput))
	return m
}

// scale returns the factor of a lab's rates to those that its hosts report; 1 outside a lab.
func scale(c *judge.Case) float64 {
	if c.Scale > 0 {
		return c.Scale
	}
	return 1
}
