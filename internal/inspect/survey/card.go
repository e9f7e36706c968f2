package survey

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/facts"
)

// port makes the card of an interface known, and gives the port's name without the host.
func (h *Host) port(nic *facts.Interface, entries *catalog.Catalog) string {
	if nic.Kind == "bond" {
		return h.bond(nic, entries)
	}
	for _, c := range h.Cards {
		if i := slices.Index(c.Ports, nic.Name); i >= 0 {
			return c.portName(i)
		}
	}
	c := h.card(nic, entries)
	h.Cards = append(h.Cards, c)
	return c.portName(slices.Index(c.Ports, nic.Name))
}

func (c *Card) portName(i int) string {
	if len(c.Ports) == 1 && (c.Part == nil || len(c.Part.Ports) < 2) {
		return c.Name
	}
	return fmt.Sprintf("%s.%d", c.Name, i+1)
}

// bond makes a bond and its members' cards known. The mode is the file's word for it.
func (h *Host) bond(nic *facts.Interface, entries *catalog.Catalog) string {
	for _, b := range h.Bonds {
		if b.Name == Name(nic.Name) {
			return b.Name
		}
	}
	b := &Bond{Name: Name(nic.Name), Mode: "set"}
	if nic.Bond != nil {
		switch mode := strings.ToLower(nic.Bond.Mode); {
		case strings.Contains(mode, "802.3ad") || strings.Contains(mode, "lacp"):
			b.Mode = "lacp"
		case strings.Contains(mode, "backup") || strings.Contains(mode, "failover"):
			b.Mode = "backup"
		}
	}
	for i := range h.Facts.NICs {
		if m := &h.Facts.NICs[i]; m.Master == nic.Name {
			b.Of = append(b.Of, h.port(m, entries))
		}
	}
	h.Bonds = append(h.Bonds, b)
	return b.Name
}

// card is the device of an interface, with all its interfaces: functions of one slot are ports of one card.
func (h *Host) card(nic *facts.Interface, entries *catalog.Catalog) *Card {
	c := &Card{Ports: []string{nic.Name}}
	ports := []*facts.Interface{nic}
	if slot := facts.PCISlot(nic.PCI); nic.PCI != "" {
		ports = nil
		for i := range h.Facts.NICs {
			if n := &h.Facts.NICs[i]; n.PCI != "" && facts.PCISlot(n.PCI) == slot && n.Kind == "" {
				ports = append(ports, n)
			}
		}
		slices.SortStableFunc(ports, func(a, b *facts.Interface) int { return strings.Compare(a.PCI, b.PCI) })
		c.Ports = nil
		for _, n := range ports {
			c.Ports = append(c.Ports, n.Name)
		}
		c.known(h.Facts.Device(nic.PCI), entries)
	}
	for _, n := range ports {
		v := n.Speed.Or(0)
		c.Speed = max(c.Speed, v)
	}
	if c.Part != nil {
		for _, n := range ports {
			c.Slow = append(c.Slow, slower(n.Speed.Or(0), c.Part))
		}
	}
	c.Seen = slices.Clone(c.Ports)
	name := Name(c.Ports[0])
	if c.Part != nil {
		name = Name(strings.ToLower(c.Part.ID))
	}
	c.Name = name
	for n := 2; h.uses(c.Name); n++ {
		c.Name = fmt.Sprintf("%s-%d", name, n)
	}
	return c
}

// bridged has a port's address stand on the bridge over it.
func (h *Host) bridged(port, bridge string) {
	for _, c := range h.Cards {
		if i := slices.Index(c.Ports, port); i >= 0 {
			c.Seen[i] = bridge
		}
	}
}

func (h *Host) uses(name string) bool {
	return slices.ContainsFunc(h.Cards, func(c *Card) bool { return c.Name == name }) || slices.ContainsFunc(h.Bonds, func(b *Bond) bool { return b.Name == name })
}

// known finds the part of a device by its PCI id.
func (c *Card) known(dev *facts.PCIDevice, entries *catalog.Catalog) {
	if dev == nil {
		return
	}
	c.Says = strings.TrimSpace(dev.Name)
	id := dev.Vendor + ":" + dev.Device
	for _, p := range entries.Parts {
		if p.Kind == catalog.NIC && slices.Contains(p.PCIIDs, id) {
			c.Like = append(c.Like, p)
		}
	}
	if len(c.Like) > 1 { // of cards with one chip, those with as many ports, and then the one that the device itself names
		if same := keep(c.Like, func(p *catalog.Part) bool { return len(p.Ports) == len(c.Ports) }); len(same) > 0 {
			c.Like = same
		}
		if same := keep(c.Like, func(p *catalog.Part) bool {
			return slices.ContainsFunc(append([]string{p.ID}, p.Aliases...), func(n string) bool { return strings.Contains(strings.ToLower(c.Says), strings.ToLower(n)) })
		}); len(same) > 0 {
			c.Like = same
		}
	}
	if len(c.Like) == 1 && (len(c.Like[0].Ports) == 0 || len(c.Like[0].Ports) >= len(c.Ports)) {
		c.Part, c.Like = c.Like[0], nil
	}
}

func keep(all []*catalog.Part, which func(*catalog.Part) bool) (out []*catalog.Part) {
	for _, p := range all {
		if which(p) {
			out = append(out, p)
		}
	}
	return out
}

// slower is what a port runs at where its part could more.
func slower(v unit.BitRate, p *catalog.Part) unit.BitRate {
	if n := len(p.Speeds); v > 0 && n > 0 && v < p.Speeds[n-1] && slices.Contains(p.Speeds, v) {
		return v
	}
	return 0
}

// Name makes a name of a fabric file out of any text.
func Name(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', b.Len() > 0 && (r == '-' || r == '_'):
			b.WriteRune(r)
		case b.Len() > 0:
			b.WriteByte('-')
		}
	}
	name := strings.TrimRight(b.String(), "-_")
	if len(name) > 63 {
		name = strings.TrimRight(name[:63], "-_")
	}
	if name == "" {
		return "card"
	}
	return name
}
