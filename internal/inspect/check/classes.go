package check

import (
	"fmt"
	"slices"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// alike are ports of one machine of which the same is to be said: once, with the first one's lines.
type alike struct {
	host  *Host
	ports []*facts.Interface
}

// portsAlike sorts the ports of all machines by what is to be said of them; an empty key: nothing.
func (w *World) portsAlike(key func(h *Host, n *facts.Interface) string) []alike {
	var out []alike
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
				out = append(out, alike{host: h})
			}
			g := &out[at[k]]
			g.ports = append(g.ports, n)
		}
	}
	return out
}

// first is the port whose lines are the evidence.
func (a alike) first() *facts.Interface { return a.ports[0] }

// subject names them: all up to three, else the first and the last with their number.
func (a alike) subject() string {
	n := len(a.ports)
	if n > 3 {
		return fmt.Sprintf("%s: %s to %s (%d ports)", a.host.Name, a.ports[0].Name, a.ports[n-1].Name, n)
	}
	var names []string
	for _, p := range a.ports {
		names = append(names, p.Name)
	}
	return a.host.Name + ": " + words(names)
}

// about is what ties a finding of these ports to others of them.
func (a alike) about() []string {
	var out []string
	for _, p := range a.ports {
		out = append(out, a.host.Name+": "+p.Name+": classes")
	}
	return out
}

// proofs are the lines as evidence, each once.
func (a alike) proofs(lines ...facts.Proof) (out []record.EvidenceLine) {
	for _, p := range lines {
		e := record.EvidenceLine{Host: a.host.Name, Source: p.Source, Line: p.Line}
		if p.Line != "" && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// classesOf is what a port does: in effect where that is known, else as it is set.
func classesOf(n *facts.Interface) *facts.Classes {
	if n.Effect != nil {
		return n.Effect
	}
	return n.Asked
}

// lossless are the classes that a port pauses in either direction, ascending; nil if that is not known, or there are none.
func lossless(c *facts.Classes) []int {
	if c == nil {
		return nil
	}
	out := slices.Concat(c.PFCReceive.Or(nil), c.PFCSend.Or(nil))
	slices.Sort(out)
	return slices.Compact(out)
}

// sortedInto says whether packets may be in a queue: false only where the device says that nothing is sorted into it.
func sortedInto(q facts.Queue) bool { return q.Active.Or(true) }

func numbers(list []int) string {
	var out []string
	for _, n := range list {
		out = append(out, fmt.Sprint(n))
	}
	return words(out)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
