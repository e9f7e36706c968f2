package explain

import (
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
)

// SwitchSide is a switch on the way of the traffic, with the ports that it comes in and goes out by.
type SwitchSide struct {
	Name    string
	In, Out string // as the switch's system names them; empty: not known
	Shots   Shots
}

// switchesOf are the switches of a path in the order in which the sender's data meets them.
func switchesOf(whole *plan.Plan, p plan.Path, direction string, shots map[string]Shots) (out []SwitchSide) {
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

// port is the switch's own name of the port that a link is plugged into: a lab's interfaces say which port they are, other switches name
// their ports as their system does. Empty: it is not known, or not in the capture.
func (s SwitchSide) port(whole *plan.Plan, l *plan.Link) string {
	f := s.Shots.After
	if f == nil {
		f = s.Shots.Before
	}
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

// switchOf is a switch of a plan; nil: the plan is not known, or has none of that name.
func switchOf(whole *plan.Plan, name string) *plan.Switch {
	if whole == nil {
		return nil
	}
	return whole.Switch(name)
}

// atIngress and atEgress are where a switch loses what comes in by a port and what goes out by one.
var (
	atIngress = []dropCounter{
		{counter: string(facts.BadFrames), source: "the port's counters"},
		{counter: string(facts.NoBuffer), source: "the port's counters"},
		{counter: string(facts.ReceiveDrops), source: "the port's counters"},
	}
	atEgress = []dropCounter{
		{counter: "qdisc.drops", source: "tc -s qdisc"},
		{counter: string(facts.QueueDrops), source: "the port's counters"},
		{counter: string(facts.SendDrops), source: "the port's counters"},
	}
)

// dropped lists what a switch lost of the data, as Case.dropped does; unknown is one line where it was not read.
func (s SwitchSide) dropped() (list []drop, unknown []string) {
	if s.Shots.Before == nil || s.Shots.After == nil {
		return nil, []string{s.Name + ": its counters around the measurement were not read"}
	}
	for _, at := range []struct {
		nic      string
		counters []dropCounter
		way      string
	}{{s.In, atIngress, "comes in"}, {s.Out, atEgress, "goes out"}} {
		if at.nic == "" {
			unknown = append(unknown, s.Name+": by which of its ports the data "+at.way+" is not known")
			continue
		}
		l, u := Side{Host: s.Name, Shots: s.Shots}.droppedOn(at.nic, at.counters)
		// A system has those of these counters that it has; that one of them says anything is enough.
		if len(u) == 1 && strings.HasSuffix(u[0], notThere) && s.says(at.nic, at.counters) {
			u = nil
		}
		list, unknown = append(list, l...), append(unknown, u...)
	}
	return list, unknown
}

// says is true when one of the counters can be read.
func (s SwitchSide) says(nic string, counters []dropCounter) bool {
	return slices.ContainsFunc(counters, func(k dropCounter) bool {
		_, why := s.Shots.growthOf(nic, k.counter, s.Shots.Before, s.Shots.After)
		return why == ""
	})
}
