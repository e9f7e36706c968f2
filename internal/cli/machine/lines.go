package machine

import (
	"cmp"
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/facts"
)

// shownGIDs is the number of addresses of an RDMA port in the report.
const shownGIDs = 4

// Lines summarizes a host in a few lines; the snapshot has all of it.
func Lines(f *facts.Facts) (out []string) {
	modules := "its modules are not known: " + strings.Replace(whyUnknown(f, "proc/modules"), "it is not there",
		"/proc/modules is not there", 1)
	if f.Modules != nil {
		modules = unit.Counted(len(f.Modules), "module") + " loaded"
	}
	rdma := "its RDMA devices are not known: " + whyUnknown(f, "ls /sys/class/infiniband")
	if f.RDMA != nil {
		rdma = "no RDMA device"
		if len(f.RDMA) > 0 {
			rdma = unit.Counted(len(f.RDMA), "RDMA device")
		}
	}
	kernel := "not known"
	if f.Kernel != "" {
		kernel = f.Kernel
	}
	out = append(out, cli.Clean("kernel "+kernel+"; "+modules+"; "+rdma))
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
		out = append(out, cli.Clean(s))
		for _, p := range d.Ports {
			t := gidsText(p)
			if len(d.Ports) > 1 {
				t = fmt.Sprintf("port %d: %s", p.Port, t)
			}
			out = append(out, "  "+cli.Clean(t))
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
	return fmt.Sprintf("port %d %s, %s, %s, %s, %s", p.Port, word("state", p.State), word("physical state", p.PhysState),
		word("link layer", p.LinkLayer), rate, mtu)
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

// word is the value of a fact, or "NAME not known".
func word(name string, o unit.Opt[string]) string { return o.Or(name + " not known") }

// whyUnknown is the reason why a source could not be read.
func whyUnknown(f *facts.Facts, subject string) string {
	for _, u := range f.Unknown {
		if u.Subject == subject {
			return u.Reason
		}
	}
	return "the snapshot does not have them"
}

// drivesText names a machine's drives, the first six of them; empty: unknown, or none.
func drivesText(f *facts.Facts) string {
	var out []string
	for i, d := range f.Storage.Drives {
		if i == 6 {
			out = append(out, fmt.Sprintf("%d more", len(f.Storage.Drives)-i))
			break
		}
		s := d.Name
		if d.Model != "" {
			s += " " + d.Model
		}
		if b, ok := d.Size.Get(); ok {
			s += ", " + b.String()
		}
		if d.Rotates.Or(false) &&
			// virtual machines' drives claim it by default
			(d.Transport == "sata" || d.Transport == "sas" || d.Transport == "ata") {
			s += ", rotating"
		}
		if d.Transport != "" {
			s += " (" + d.Transport + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// maxNeighbours is the number of neighbours of one port in the report: several are only seen through a bridge that
// forwards LLDP.
const maxNeighbours = 3

// neighbourText is the neighbour at the other end of a port's cable; empty: it was not queried, without a known reason.
func neighbourText(f *facts.Facts, n *facts.Interface) string {
	switch {
	case n.LLDP == nil && f.LLDPWhy == "":
		return ""
	case n.LLDP == nil:
		return notKnown(f.LLDPWhy)
	case len(n.LLDP) == 0:
		return "no LLDP neighbour"
	}
	var list []string
	for _, h := range n.LLDP {
		text := cmp.Or(h.System, h.Chassis.Value, "one without a name")
		port := h.Port.Value
		if port != "" && h.PortDescription != "" && h.PortDescription != port {
			port += " (" + h.PortDescription + ")"
		}
		if port = cmp.Or(port, h.PortDescription); port != "" {
			text += ", port " + port
		}
		list = append(list, text)
	}
	if more := len(list) - maxNeighbours; more > 0 {
		list = append(list[:maxNeighbours], fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, "; ")
}
