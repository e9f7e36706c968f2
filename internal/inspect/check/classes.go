package check

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// Alike are ports of one machine with the same finding. It is reported once, with the lines of the first port.
type Alike struct {
	Host  *Host
	Ports []*facts.Interface
}

// PortsAlike groups the ports of each machine by a key; an empty key omits the port.
func (w *World) PortsAlike(key func(h *Host, n *facts.Interface) string) []Alike {
	var out []Alike
	for _, h := range w.Hosts {
		at := map[string]int{}
		for i := range h.Facts.NICs {
			n := &h.Facts.NICs[i]
			k := key(h, n)
			if k == "" {
				continue
			}
			if _, ok := at[k]; !ok {
				at[k] = len(out)
				out = append(out, Alike{Host: h})
			}
			g := &out[at[k]]
			g.Ports = append(g.Ports, n)
		}
	}
	return out
}

// First returns the port whose lines are the evidence.
func (a Alike) First() *facts.Interface { return a.Ports[0] }

// Subject names them: all up to three, else the first and the last with their number.
func (a Alike) Subject() record.Subject {
	if n := len(a.Ports); n > 3 {
		return record.Subject{Host: a.Host.Name, Parts: []string{a.Ports[0].Name, a.Ports[n-1].Name}, Count: n}
	}
	var names []string
	for _, p := range a.Ports {
		names = append(names, p.Name)
	}
	return a.Host.Subject(names...)
}

// About is what ties a finding of these ports to others of them.
func (a Alike) About() []record.Subject {
	var out []record.Subject
	for _, p := range a.Ports {
		out = append(out, a.Host.Subject(p.Name+": classes"))
	}
	return out
}

// Proofs returns the lines as evidence, each once.
func (a Alike) Proofs(lines ...facts.Proof) (out []record.EvidenceLine) {
	for _, p := range lines {
		e := record.EvidenceLine{Host: a.Host.Name, Source: p.Source, Line: p.Line}
		if p.Line != "" && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// ClassesOf returns the traffic classes of a port: those in effect where known, or else the configured ones.
func ClassesOf(n *facts.Interface) *facts.Classes {
	if n.Effect != nil {
		return n.Effect
	}
	return n.Asked
}

// Lossless returns the classes that a port pauses in either direction, ascending; nil if that is not known, or there
// are none.
func Lossless(c *facts.Classes) []int {
	if c == nil {
		return nil
	}
	out := slices.Concat(c.PFCReceive.Or(nil), c.PFCSend.Or(nil))
	slices.Sort(out)
	return slices.Compact(out)
}

// SortedInto reports whether packets may be in a queue: false only where the device reports that nothing is mapped to
// it.
func SortedInto(q facts.Queue) bool { return q.Active.Or(true) }

// Numbers lists numbers in words.
func Numbers(list []int) string {
	var out []string
	for _, n := range list {
		out = append(out, fmt.Sprint(n))
	}
	return unit.List(out)
}

// Plural returns one where n is 1, or else many.
func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
