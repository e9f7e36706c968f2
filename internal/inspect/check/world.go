package check

import (
	"iter"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
)

// World is all that is known when the checks are asked.
type World struct {
	Plan  *plan.Plan // nil: facts alone
	Hosts []*Host    // and switches
}

// Host is a machine whose facts are known: a host, or a switch.
type Host struct {
	Name   string
	Facts  *facts.Facts
	Plan   *plan.Host   // nil: it is no host of a plan
	Switch *plan.Switch // nil: it is no switch of a plan
}

// Add puts a machine into the world; false: there is a plan, and the machine is not in it.
func (w *World) Add(name string, f *facts.Facts) bool {
	h := &Host{Name: name, Facts: f}
	if w.Plan != nil {
		h.Plan, h.Switch = w.Plan.Host(name), w.Plan.Switch(name)
		if h.Plan == nil && h.Switch == nil {
			return false
		}
	}
	w.Hosts = append(w.Hosts, h)
	return true
}

// Host returns the host of that name, or nil if its facts are not known.
func (w *World) Host(name string) *Host {
	for _, h := range w.Hosts {
		if h.Name == name {
			return h
		}
	}
	return nil
}

// plugged is a port of the plan that carries a link, with the interface that it is on its host.
type plugged struct {
	host *Host
	port *plan.Port
	link *plan.Link
	nic  *facts.Interface
}

// subject names the port as the user sees it on the host.
func (p plugged) subject() string { return p.host.Name + ": " + p.nic.Name }

// plugged lists the ports of a host that carry links, and have an interface there.
func (w *World) plugged(h *Host) []plugged {
	var out []plugged
	if h.Plan == nil {
		return nil
	}
	for _, p := range h.Plan.Ports {
		if p.Link == "" {
			continue
		}
		if nic := h.Facts.NIC(p.Interface); nic != nil {
			out = append(out, plugged{h, p, w.Plan.Link(p.Link), nic})
		}
	}
	return out
}

// ports are those of all hosts that carry links, and have an interface there.
func (w *World) ports() iter.Seq[plugged] {
	return func(yield func(plugged) bool) {
		for _, h := range w.Hosts {
			for _, p := range w.plugged(h) {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// cards are those of all hosts, as cards has them of one.
func (w *World) cards() iter.Seq2[*Host, card] {
	return func(yield func(*Host, card) bool) {
		for _, h := range w.Hosts {
			for _, c := range cards(w, h) {
				if !yield(h, c) {
					return
				}
			}
		}
	}
}

// addressed is the interface that a port's address belongs on: its own, or that of its VLAN. nil if it is not there.
func (p plugged) addressed() *facts.Interface {
	if p.port.VLAN == 0 {
		return p.nic
	}
	return p.host.Facts.NIC(p.port.VLANInterface)
}

// words joins a list for a sentence.
func words(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}
