package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// switchForwarding: a switch on the way forwards with its processor, which is full. A lab's switch always does, on processors that the hosts share: it
// is not asked. That the ports are not the chip's is said by the check, or shown by what the switch's kernel handled; a switch that says only one of
// these stays a candidate.
var switchForwarding = Cause{
	ID: "switch-cpu-forwarding", Title: "a switch that forwards with its processor",
	Test: func(c *Case) *Match {
		if c.Lab || c.Ceiling > 0 && c.Share() >= atCeiling {
			return nil
		}
		for _, s := range c.Switches {
			if s.Shots.After == nil {
				continue
			}
			f := c.stateOfSwitch("switch-cpu-forwarding", s)
			busiest, known := s.busiest()
			busy := known && busiest.Busy >= full
			if f == nil && !(busy && busiest.Receive >= mostlyReceives) {
				continue
			}
			m := &Match{
				Strength: Candidate, Component: s.Name + ": processor", NextCeiling: c.nextCeiling(""),
				Sentence: fmt.Sprintf("%s is held back by the switch %s: its processor forwards the packets, and not its chip.", c.subject(), s.Name),
				Fix:      "let the chip forward: look which feature keeps it from that (bridge filters, a bridge or route without hardware offload)", Undo: "the setting as it was",
			}
			if f != nil {
				m.Fix, m.Undo = fromCheck(s.Name, f.Fix), fromCheck(s.Name, f.Undo)
				m.Evidence = append(m.Evidence, said(f, "hardware")...)
			}
			if busy {
				m.Evidence = append(m.Evidence, busiest.evidence(s.Name, ""))
			}
			handled := c.handledBy(s)
			if handled != nil {
				m.Evidence = append(m.Evidence, *handled)
			}
			if busy && (f != nil || handled != nil) {
				m.Strength = Likely
			}
			if m.Strength == Candidate {
				m.Next = fmt.Sprintf("the load of the processor of %s while the experiment runs (top; /system resource monitor): at %s it carries %s", s.Name, rate(c.Goodput), unit.Percent(c.Share()))
			}
			return m
		}
		return nil
	},
}

// handledBy is how many packets the kernel of a switch took in while the experiment ran, if they can be those of the experiment: a chip that forwards
// shows its kernel none of them, and a kernel that does gets up to 45 segments as one packet. nil: they are fewer, or not known.
func (c *Case) handledBy(s SwitchSide) *record.Evidence {
	const merged = 45
	g, why := s.Shots.growthOf("", "softnet.processed", s.Shots.Before, s.Shots.After)
	segments := c.windowBytes() / c.segment()
	if why != "" || segments <= 0 || g.Net < segments/merged {
		return nil
	}
	return &record.Evidence{Host: s.Name, Source: "/proc/net/softnet_stat", Counter: "softnet.processed", After: ptr(g.Net), IdlePerSecond: g.Idle, Unit: "packets",
		Text: fmt.Sprintf("the kernel of %s took in %.0f packets meanwhile, for %.0f segments that were measured", s.Name, g.Net, segments)}
}

// stateOfSwitch is state of a switch, for the ports that the data comes in and goes out by where they are known.
func (c *Case) stateOfSwitch(id string, s SwitchSide) *record.Finding {
	w := &check.World{Plan: c.Plan}
	if !w.Add(s.Name, s.Shots.After) {
		return nil
	}
	got := check.Run(w, check.Choice{Only: []string{id}})
	for i, f := range got.Findings {
		ports := slices.DeleteFunc([]string{s.In, s.Out}, func(p string) bool { return p == "" })
		if f.ID == id && strings.HasPrefix(f.Subject, s.Name+":") && (len(ports) == 0 || slices.ContainsFunc(ports, func(p string) bool { return strings.Contains(f.Subject, p) })) {
			return &got.Findings[i]
		}
	}
	return nil
}

// busiest is the core of a switch with the least time left while the experiment ran.
func (s SwitchSide) busiest() (coreUse, bool) {
	first, last := s.Shots.Before, s.Shots.After
	if n := len(s.Shots.During); n >= 2 {
		first, last = s.Shots.During[0], s.Shots.During[n-1]
	}
	if _, why := elapsed(first, last); why != "" {
		return coreUse{}, false
	}
	uses := coresBetween(first.CPU.Cores, last.CPU.Cores)
	if len(uses) == 0 {
		return coreUse{}, false
	}
	return slices.MaxFunc(uses, func(a, b coreUse) int { return cmp.Compare(a.Busy, b.Busy) }), true
}
