package cause

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/inspect/check"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/record"
)

// switchForwarding is the cause where a switch on the path forwards with its CPU, which is full. A lab's switch always
// does, on CPUs that the hosts share, so it is not judged. The check finds ports that the chip does not forward for, or
// the packet counts of the switch's kernel show it. A switch with only one piece of evidence stays a candidate.
var switchForwarding = judge.Cause{
	ID: "switch-cpu-forwarding", Title: "a switch that forwards with its CPU",
	Plain: "The switch passes the data on with its small CPU instead of with the chip that is made for it, and " +
		"that CPU is full.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		if c.Lab || c.Ceiling > 0 && c.Share() >= judge.AtCeiling {
			return nil
		}
		for _, s := range c.Switches {
			if s.Shots.After == nil {
				continue
			}
			f := stateOfSwitch(c, "switch-cpu-forwarding", s)
			busiest, known := busiest(s)
			busy := known && busiest.Busy >= judge.CoreFull
			if f == nil && !(busy && busiest.Receive >= mostlyReceives) {
				continue
			}
			m := c.Candidate(s.Name+": CPU", "is held back by the switch %s: its CPU forwards the packets, and "+
				"not its chip.", s.Name)
			m.Fix = "let the chip forward: look which feature keeps it from that (bridge filters, a bridge or route without " +
				"hardware offload)"
			m.Undo = "the setting as it was"
			if f != nil {
				m.FromCheck(s.Name, f)
				m.Add(judge.FindingEvidence(f, "hardware")...)
			}
			if busy {
				m.Add(busiest.Evidence(s.Name, ""))
			}
			handled := handledBy(c, s)
			if handled != nil {
				m.Add(*handled)
			}
			if busy && (f != nil || handled != nil) {
				m.Strength = judge.Likely
			}
			if m.Strength == judge.Candidate {
				m.Next = fmt.Sprintf("the load of the CPU of %s while the experiment runs (top; /system resource "+
					"monitor): at %s it carries %s", s.Name, judge.Rate(c.Goodput), unit.Percent(c.Share()))
			}
			return m
		}
		return nil
	},
}

// handledBy is the evidence that the kernel of a switch received as many packets during the experiment as the
// experiment sent. A forwarding chip passes none of them to the kernel. A forwarding kernel gets up to 45 segments as
// one packet. nil: there were fewer, or it is not known.
func handledBy(c *judge.Case, s judge.SwitchSide) *record.Evidence {
	const merged = 45
	g, why := s.Shots.GrowthOf("", "softnet.processed", s.Shots.Before, s.Shots.After)
	segments := c.IntervalBytes() / segment(c)
	if why != "" || segments <= 0 || g.Net < segments/merged {
		return nil
	}
	return &record.Evidence{Host: s.Name, Source: "/proc/net/softnet_stat", Counter: "softnet.processed",
		After: new(g.Net), IdlePerSecond: g.Idle, Unit: "packets",
		Text: fmt.Sprintf("the kernel of %s took in %.0f packets meanwhile, for %.0f segments that were measured", s.Name,
			g.Net, segments)}
}

// stateOfSwitch returns the finding of a check on a switch, for the ingress and egress ports of the data where they are
// known.
func stateOfSwitch(c *judge.Case, id string, s judge.SwitchSide) *record.Finding {
	w := &check.World{Plan: c.Plan}
	if !w.Add(s.Name, s.Shots.After) {
		return nil
	}
	got := check.Run(checks.All(), w, check.Choice{Only: []string{id}})
	for i, f := range got.Findings {
		ports := slices.DeleteFunc([]string{s.In, s.Out}, func(p string) bool { return p == "" })
		if f.ID == id && f.Subject.Host == s.Name && (len(ports) == 0 ||
			slices.ContainsFunc(ports, func(p string) bool { return f.Subject.Has(s.Name, p) })) {
			return &got.Findings[i]
		}
	}
	return nil
}

// busiest returns the busiest core of a switch during the experiment.
func busiest(s judge.SwitchSide) (judge.CoreUse, bool) {
	first, last := s.Shots.Before, s.Shots.After
	if n := len(s.Shots.During); n >= 2 {
		first, last = s.Shots.During[0], s.Shots.During[n-1]
	}
	if _, why := judge.ElapsedSeconds(first, last); why != "" {
		return judge.CoreUse{}, false
	}
	uses := judge.CoresBetween(first.CPU.Cores, last.CPU.Cores)
	if len(uses) == 0 {
		return judge.CoreUse{}, false
	}
	return slices.MaxFunc(uses, func(a, b judge.CoreUse) int { return cmp.Compare(a.Busy, b.Busy) }), true
}
