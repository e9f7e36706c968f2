package plan

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
)

// NIC is a NIC in its host, with what it needs of its slot, and its driver.
type NIC struct {
	Host, Name string
	Part       *catalog.Part // nil: not written
	Slot       string        // as the file has it; empty: not written
	Ports      []*Port       // that have a cable in them
	Need       Need
	// System is the operating system whose drivers the host has: "TrueNAS (FreeBSD)".
	System string
	// Driver is the catalogue's for that system; nil: no source knows one.
	Driver *catalog.Driver
}

// ID returns the NIC's name in the plan: nas.cx3.
func (c NIC) ID() string { return c.Host + "." + c.Name }

// NICs returns all NICs of all hosts in the order of the file, without virtual functions.
func (p *Plan) NICs() []NIC {
	plugged := map[*Port]bool{}
	for _, l := range p.Links {
		for _, e := range l.Ends {
			plugged[p.Port(e.ID)] = true
		}
	}
	var out []NIC
	for _, h := range p.Hosts {
		if h.Decl == nil {
			continue
		}
		for _, n := range h.Decl.NICs {
			if n.VF != "" {
				continue
			}
			c := NIC{Host: h.Name, Name: n.Name, Part: n.Part, Slot: n.Slot}
			for _, port := range h.Ports {
				if port.NIC == n.Name && plugged[port] {
					c.Ports = append(c.Ports, port)
				}
			}
			c.Need = need(n, c.Ports)
			if n.Part != nil && h.OS != "" {
				d, _, system, ok := driverOf(h.Decl, n.Part)
				if c.System = system; ok {
					c.Driver = &d
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// Need is what the ports in use of a NIC need of the slot.
type Need struct {
	Ports int           // in use
	Sum   unit.BitRate  // of their planned rates, each way; 0: none is in use, or not known
	Edge  *catalog.PCIe // the NIC's own; nil: not known
	// Least are the narrowest slots that carry the sum next to PCI Express's own headers, the oldest generation first.
	// A newer generation is listed only if it needs fewer lanes. If the NIC's edge is not known, slot and NIC must both
	// have them.
	Least []catalog.PCIe
	Short bool // not even the NIC's whole edge carries the sum
}

const (
	// newest is the newest generation of PCI Express with a formula.
	newest = 5
	// usual is the newest generation that is named for a NIC whose generation is not known: such NICs are old.
	usual = 3
)

func need(n *fabric.NIC, ports []*Port) Need {
	out := Need{Ports: len(ports)}
	for _, p := range ports {
		out.Sum += p.Speed
	}
	if n.Part != nil {
		out.Edge = n.Part.PCIe
	}
	if out.Sum == 0 {
		return out
	}
	gen, lanes := usual, 16
	if out.Edge == nil && usable(&catalog.PCIe{Gen: gen, Lanes: lanes}) < out.Sum {
		gen = newest
	}
	if out.Edge != nil {
		gen, lanes = min(newest, out.Edge.Gen), out.Edge.Lanes
		if out.Short = usable(out.Edge) < out.Sum; out.Short {
			out.Least = []catalog.PCIe{*out.Edge}
			return out
		}
	}
	fewest := lanes + 1
	for g := 1; g <= gen; g++ {
		for l := 1; l < fewest; l *= 2 {
			if usable(&catalog.PCIe{Gen: g, Lanes: l}) >= out.Sum {
				out.Least, fewest = append(out.Least, catalog.PCIe{Gen: g, Lanes: l}), l
				break
			}
		}
	}
	return out
}

// PCIe returns the PCI Express link of a port's NIC: the narrower of the NIC and its slot. Without a slot in the fabric
// file it is the NIC's own edge, which the slot may still narrow. nil: neither is known.
func (p *Port) PCIe() (link *catalog.PCIe, slot bool) {
	if p.Part != nil {
		link = p.Part.PCIe
	}
	if bus, err := catalog.ParseBus(p.Slot); err == nil && bus.PCIe() != nil {
		in := bus.PCIe()
		if link == nil {
			return in, true
		}
		return &catalog.PCIe{Gen: min(in.Gen, link.Gen), Lanes: min(in.Lanes, link.Lanes)}, true
	}
	return link, false
}

// Slots lists the slots that are enough: "PCIe 1.0 x8 or 2.0 x4"; empty: not known, or nothing is needed.
func (n Need) Slots() string {
	var out []string
	for _, l := range n.Least {
		out = append(out, fmt.Sprintf("%d.0 x%d", l.Gen, l.Lanes))
	}
	switch len(out) {
	case 0:
		return ""
	case 1:
		return "PCIe " + out[0]
	}
	return "PCIe " + oneOf(out)
}

// Bus returns a slot as the fabric file writes it: pcie3x8.
func Bus(l catalog.PCIe) string { return fmt.Sprintf("pcie%dx%d", l.Gen, l.Lanes) }

// Expected returns the interface names of the ports that the file does not name, by the ids of the ports, as far as the
// driver numbers them: FreeBSD numbers the interfaces of a driver over all of its NICs. They are right if the host has
// no other NICs of that driver and the slots are in the order of the file.
func (h *Host) Expected() map[string]string {
	out := map[string]string{}
	counts := map[string]int{}
	for _, p := range h.Ports {
		if p.Part == nil || h.Decl == nil {
			continue
		}
		d, _, _, ok := driverOf(h.Decl, p.Part)
		pattern, numbered := strings.CutSuffix(d.Interface, "N")
		if !ok || !numbered {
			continue
		}
		if !p.Declared {
			out[p.ID] = fmt.Sprintf("%s%d", pattern, counts[pattern])
		}
		counts[pattern]++
	}
	// A name that the file gives another port would be used twice.
	for id, name := range out {
		if slices.ContainsFunc(h.Ports, func(p *Port) bool { return p.Declared && p.Interface == name }) {
			delete(out, id)
		}
	}
	return out
}
