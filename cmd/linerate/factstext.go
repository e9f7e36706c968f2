package main

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/report"
)

// shownGIDs is how many addresses of an RDMA port are told.
const shownGIDs = 4

// factsLines tells of a host in a few lines what a person asks first; the capture has all of it.
func factsLines(f *facts.Facts) (out []string) {
	modules := "its modules are not known: " + strings.Replace(whyUnknown(f, "proc/modules"), "it is not there", "/proc/modules is not there", 1)
	if f.Modules != nil {
		modules = report.Count(len(f.Modules), "module") + " loaded"
	}
	rdma := "its RDMA devices are not known: " + whyUnknown(f, "ls /sys/class/infiniband")
	if f.RDMA != nil {
		rdma = "no RDMA device"
		if len(f.RDMA) > 0 {
			rdma = report.Count(len(f.RDMA), "RDMA device")
		}
	}
	kernel := "not known"
	if f.Kernel != "" {
		kernel = f.Kernel
	}
	out = append(out, clean("kernel "+kernel+"; "+modules+"; "+rdma))
	for _, d := range f.RDMA {
		s := d.Name + ": " + word("type", d.NodeType) + ", firmware " + d.Firmware.Or("not known")
		if model, ok := d.Model.Get(); ok {
			s += ", " + model
		}
		if d.Ports == nil {
			s += "; its ports are not known"
		}
		for _, p := range d.Ports {
			s += "; " + rdmaPortText(p)
		}
		out = append(out, clean(s))
		for _, p := range d.Ports {
			t := gidsText(p)
			if len(d.Ports) > 1 {
				t = fmt.Sprintf("port %d: %s", p.Port, t)
			}
			out = append(out, "  "+clean(t))
		}
	}
	return out
}

func rdmaPortText(p facts.RDMAPort) string {
	rate, mtu := "rate not known", "active MTU not known"
	if r, ok := p.Rate.Get(); ok {
		rate = r.String()
		if w, ok := p.Width.Get(); ok {
			rate += " (" + w + ")"
		}
	}
	if m, ok := p.ActiveMTU.Get(); ok {
		mtu = fmt.Sprintf("active MTU %d", m)
	} else {
		mtu += " (" + p.ActiveMTU.Why() + ")"
	}
	return fmt.Sprintf("port %d %s, %s, %s, %s, %s", p.Port, word("state", p.State), word("physical state", p.PhysState), word("link layer", p.LinkLayer), rate, mtu)
}

func gidsText(p facts.RDMAPort) string {
	switch {
	case p.GIDs == nil:
		return "GIDs are not known"
	case len(p.GIDs) == 0:
		return "GIDs: none is set"
	}
	var parts []string
	for _, g := range p.GIDs[:min(len(p.GIDs), shownGIDs)] {
		s := fmt.Sprintf("%d %s, %s", g.Index, g.GID.Unmap(), word("type", g.Type))
		if at, ok := g.Interface.Get(); ok {
			s += " on " + at
		}
		parts = append(parts, s)
	}
	if more := len(p.GIDs) - shownGIDs; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return "GIDs: " + strings.Join(parts, "; ")
}

// word is a fact that speaks for itself; what it is of is said where it is not known.
func word(name string, o unit.Opt[string]) string { return o.Or(name + " not known") }

// whyUnknown is the reason that stands with a source.
func whyUnknown(f *facts.Facts, subject string) string {
	for _, u := range f.Unknown {
		if u.Subject == subject {
			return u.Reason
		}
	}
	return "the capture does not have them"
}
