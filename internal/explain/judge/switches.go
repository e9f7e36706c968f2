package judge

import (
	"cmp"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
)

// SwitchSide is a switch on the path of the traffic, with its ingress and egress port.
type SwitchSide struct {
	Name    string
	In, Out string // as named by the switch's system; empty: not known
	Shots   Shots
}

// SwitchesOn returns the switches of a path in the order in which the sender's data passes them.
func SwitchesOn(whole *plan.Plan, p plan.Path, direction string, shots map[string]Shots) (out []SwitchSide) {
	for i, name := range p.Switches {
		if i+1 >= len(p.Links) {
			break
		}
		s := SwitchSide{Name: name, Shots: shots[name]}
		s.In, s.Out = s.port(whole, p.Links[i]), s.port(whole, p.Links[i+1])
		if direction == "in" {
			s.In, s.Out = s.Out, s.In
		}
		out = append(out, s)
	}
	if direction == "in" {
		slices.Reverse(out)
	}
	return out
}

// port returns the switch's own name of the port of a link. The interfaces of a lab have the port in their name, and
// other switches use the names of their system. Empty: it is not known, or not in the snapshot.
func (s SwitchSide) port(whole *plan.Plan, l *plan.Link) string {
	f := cmp.Or(s.Shots.After, s.Shots.Before)
	if f == nil {
		return ""
	}
	for _, end := range l.Ends {
		if end.Switch != s.Name {
			continue
		}
		want := ""
		if w := switchOf(whole, s.Name); w != nil {
			if i := slices.IndexFunc(w.Ports, func(x plan.SwitchPort) bool { return x.ID == end.ID }); i >= 0 {
				want = w.PortName(w.Ports[i])
			}
		}
		for _, n := range f.NICs {
			if n.Alias == end.ID || n.Name == end.ID || want != "" && facts.PlainPort(n.Name) == facts.PlainPort(want) {
				return n.Name
			}
		}
	}
	return ""
}

// switchOf returns a switch of a plan; nil: the plan is not known, or has no switch with the name.
func switchOf(whole *plan.Plan, name string) *plan.Switch {
	if whole == nil {
		return nil
	}
	return whole.Switch(name)
}

// atIngress and atEgress are the counters of a switch's losses at the ingress and at the egress port.
var (
	AtIngress = []dropCounter{
		{Counter: string(facts.BadFrames), source: "the port's counters"},
		{Counter: string(facts.NoBuffer), source: "the port's counters"},
		{Counter: string(facts.ReceiveDrops), source: "the port's counters"},
	}
	AtEgress = []dropCounter{
		{Counter: "qdisc.drops", source: "tc -s qdisc"},
		{Counter: string(facts.QueueDrops), source: "the port's counters"},
		{Counter: string(facts.SendDrops), source: "the port's counters"},
	}
)

// dropped lists the counters of a switch's losses, as Case.Dropped does. unknown is one line where the switch was not
// read.
func (s SwitchSide) dropped() (list []Drop, unknown []string) {
	if s.Shots.Before == nil || s.Shots.After == nil {
		return nil, []string{s.Name + ": its counters around the measurement were not read"}
	}
	for _, at := range []struct {
		nic      string
		counters []dropCounter
		way      string
	}{{s.In, AtIngress, "comes in"}, {s.Out, AtEgress, "goes out"}} {
		if at.nic == "" {
			unknown = append(unknown, s.Name+": by which of its ports the data "+at.way+" is not known")
			continue
		}
		l, u := Side{Host: s.Name, Shots: s.Shots}.droppedOn(at.nic, at.counters)
		// Each system has only some of these counters. One that can be read is enough.
		if len(u) == 1 && strings.HasSuffix(u[0], notThere) && s.says(at.nic, at.counters) {
			u = nil
		}
		list, unknown = append(list, l...), append(unknown, u...)
	}
	return list, unknown
}

// says reports whether one of the counters can be read.
func (s SwitchSide) says(nic string, counters []dropCounter) bool {
	return slices.ContainsFunc(counters, func(k dropCounter) bool {
		_, why := s.Shots.GrowthOf(nic, k.Counter, s.Shots.Before, s.Shots.After)
		return why == ""
	})
}
