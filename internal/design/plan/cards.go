package plan

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
)

// Card is a card in its machine: what it asks of its slot, and its driver there.
type Card struct {
	Host, Name string
	Part       *catalog.Part // nil: not written
	Slot       string        // as the file has it; empty: not written
	Ports      []*Port       // that have a cable in them
	Need       Need
	// System is how the host's operating system is called where drivers are meant: "TrueNAS (FreeBSD)".
	System string
	// Driver is what the catalogue has for that system; nil: no source says that there is one.
	Driver *catalog.Driver
}

// ID is the card's name in the plan: nas.cx3.
func (c Card) ID() string { return c.Host + "." + c.Name }

// Cards are all cards of all hosts in the order of the file. Functions of SR-IOV are none.
func (p *Plan) Cards() []Card {
	plugged := map[*Port]bool{}
	for _, l := range p.Links {
		for _, e := range l.Ends {
			plugged[p.Port(e.ID)] = true
		}
	}
	var out []Card
	for _, h := range p.Hosts {
		if h.Decl == nil {
			continue
		}
		for _, n := range h.Decl.NICs {
			if n.VF != "" {
				continue
			}
			c := Card{Host: h.Name, Name: n.Name, Part: n.Part, Slot: n.Slot}
			for _, port := range h.Ports {
				if port.Card == n.Name && plugged[port] {
					c.Ports = append(c.Ports, port)
				}
			}
			c.Need = need(n, c.Ports)
			if n.Part != nil && h.OS != "" {
				d, system, ok := driverOf(h.Decl, n.Part)
				if c.System = system; ok {
					c.Driver = &d
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// Need is what a card's ports in use ask of the slot.
type Need struct {
	Ports int           // in use
	Sum   unit.BitRate  // of their planned rates, each way; 0: none is in use, or not known
	Edge  *catalog.PCIe // the card's own; nil: not known
	// Least are the narrowest slots that carry the sum beside PCI Express's own headers, the oldest generation first; a newer
	// generation stands only where it needs fewer lanes. Where the card's edge is not known, they are what slot and card must both have.
	Least []catalog.PCIe
	// Short: not even the card's whole edge carries the sum.
	Short bool
}

// newest is the newest generation of PCI Express with a formula; usual the newest that is named for a card of which it is
// not known, because who does not know a card has an old one.
const (
	newest = 5
	usual  = 3
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

// Slots says which slots are enough: "PCIe 1.0 x8, or 2.0 x4"; empty if it is not known, or nothing is needed.
func (n Need) Slots() string {
	var out []string
	for _, l := range n.Least {
		out = append(out, fmt.Sprintf("%d.0 x%d", l.Gen, l.Lanes))
	}
	if len(out) == 0 {
		return ""
	}
	if len(out) == 1 {
		return "PCIe " + out[0]
	}
	return "PCIe " + strings.Join(out[:len(out)-1], ", ") + " or " + out[len(out)-1]
}

// Bus is a slot as the fabric file writes it: pcie3x8.
func Bus(l catalog.PCIe) string { return fmt.Sprintf("pcie%dx%d", l.Gen, l.Lanes) }
