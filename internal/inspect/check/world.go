package check

import (
	"iter"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// World is the input of all checks.
type World struct {
	Plan  *plan.Plan // nil: only facts
	Hosts []*Host    // and switches
}

// Host is a machine whose facts are known: a host, or a switch.
type Host struct {
	Name   string
	Facts  *facts.Facts
	Plan   *plan.Host   // nil: it is not a host of a plan
	Switch *plan.Switch // nil: it is not a switch of a plan
}

// Subject is parts of the machine as what a finding is about; without parts it is the whole machine.
func (h *Host) Subject(parts ...string) record.Subject { return record.PartsOf(h.Name, parts...) }

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

// Host returns the host with the name, or nil if its facts are not known.
func (w *World) Host(name string) *Host {
	return xslices.First(w.Hosts, func(h *Host) bool { return h.Name == name })
}

// Port is a port of the plan that carries a link, with its interface on the host.
type Port struct {
	Host *Host
	Port *plan.Port
	Link *plan.Link
	Nic  *facts.Interface
}

// Subject names the port as the user sees it on the host.
func (p Port) Subject() record.Subject { return p.Host.Subject(p.Nic.Name) }

// Plugged lists the ports of a host that carry links, and have an interface on it.
func (w *World) Plugged(h *Host) []Port {
	var out []Port
	if h.Plan == nil {
		return nil
	}
	for _, p := range h.Plan.Ports {
		if p.Link == "" {
			continue
		}
		if nic := h.Facts.NIC(p.Interface); nic != nil {
			out = append(out, Port{h, p, w.Plan.Link(p.Link), nic})
		}
	}
	return out
}

// Ports returns the ports of all hosts that carry links, and have an interface.
func (w *World) Ports() iter.Seq[Port] {
	return func(yield func(Port) bool) {
		for _, h := range w.Hosts {
			for _, p := range w.Plugged(h) {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// NICs returns the NICs of all hosts.
func (w *World) NICs() iter.Seq2[*Host, NIC] {
	return func(yield func(*Host, NIC) bool) {
		for _, h := range w.Hosts {
			for _, c := range NICs(w, h) {
				if !yield(h, c) {
					return
				}
			}
		}
	}
}

// Addressed returns the interface for a port's address: its own, or that of its VLAN. nil if it does not exist.
func (p Port) Addressed() *facts.Interface {
	if p.Port.VLAN == 0 {
		return p.Nic
	}
	return p.Host.Facts.NIC(p.Port.VLANInterface)
}
