package fabric

import (
	"fmt"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/design/catalog"
)

func (d *decoder) nic(h *Host, name, group string, p pair, own, st step) *NIC {
	c := &NIC{Name: name, At: p.key.at}
	f, ok := d.fields(p.value, "nic", "nic "+quoteName(h.Group)+"."+quoteName(group), p.key.at)
	if !ok {
		d.missing[h.Name+"."+name] = true
		return c
	}
	c.Note = f.Note
	c.Part = d.part(f, catalog.NIC)
	if n := f.scalar("vf"); n != nil {
		c.VF, _ = d.pick(n, f.subject, st)
	}
	if c.Part == nil && !f.has("vf") {
		d.missing[h.Name+"."+name] = true
		if !f.has("part") {
			f.bad(diag.KeyMissing, "part", "the NIC has no part", "ports, cages and speeds come from the part",
				"write part: PART-NUMBER "+
					"(linerate parts WORD searches)\nor describe it: part: {kind: nic, speed: 40G, ports: 2, cage: qsfp+}")
		}
	}
	if f.has("part") && f.has("vf") {
		f.bad(diag.KeysConflict, "vf", "a NIC is either a part or a virtual function", "", "delete part or vf")
	}
	c.Slot = f.slot()
	c.Behind = f.behind()
	c.Mode = f.choice("mode", "eth", "ib")
	c.Speed = f.rate("speed")
	if c.Part != nil && c.Mode != "ib" && len(c.Part.Speeds) > 0 && c.Speed > c.Part.Fastest() {
		f.bad(diag.ValueNumber, "speed", fmt.Sprintf("%s is more than the NIC does", c.Speed),
			fmt.Sprintf("%s does up to %s", c.Part.Name, c.Part.Fastest()), "write a lower speed, or delete it")
	}
	c.RDMA = f.choice("rdma", "rocev1", "rocev2", "iwarp", "ib", "none")
	c.VFs = f.number("vfs", 0, 4096, 0, "the number of virtual functions")
	c.Firmware = f.text("firmware")
	c.Settings = f.table("settings")
	c.Offloads = f.offloads(c.Settings)
	c.Price = f.price("price", c.Part)
	d.interfaces(c, f, own)
	return c
}

// interfaces reads the operating system's names of a NIC's ports.
func (d *decoder) interfaces(c *NIC, f *fields, own step) {
	words := f.words("ports")
	c.Ports = d.several(words, f.subject, own)
	seen := map[string]bool{}
	for _, name := range c.Ports {
		if name == "" || len(name) > maxName ||
			strings.ContainsFunc(name, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
			f.bad(diag.NameInvalid, "ports", fmt.Sprintf("%s is not a name of an interface", quote(name)), "",
				"write it as ip link shows it: enp1s0")
		}
		if seen[name] {
			f.bad(diag.NameTwice, "ports", fmt.Sprintf("the interface %s is listed twice", quote(name)),
				"each port has its own interface",
				"write the ports' names in their order")
		}
		seen[name] = true
	}
	if c.Part != nil && c.Part.Ports != nil && len(c.Ports) > len(c.Part.Ports) {
		f.bad(diag.PortUnknown, "ports", fmt.Sprintf("ports has %d names", len(c.Ports)),
			fmt.Sprintf("%s has %s", c.Part.Name, countPorts(len(c.Part.Ports))), "write one name for each port")
	}
}

func countPorts(n int) string {
	if n == 1 {
		return "1 port"
	}
	return fmt.Sprintf("%d ports", n)
}

// slot reads the slot of a NIC.
func (f *fields) slot() string {
	n := f.scalar("slot")
	if n == nil {
		return ""
	}
	bus, err := catalog.ParseBus(n.text)
	if err != nil || bus.Type != "pcie" {
		f.bad(diag.ValueUnknown, "slot", fmt.Sprintf("%s is not a PCI Express slot", quote(n.text)), "",
			"write slot: pcie3x8 (generation and lanes)")
		return ""
	}
	return bus.String()
}

// slots reads the slots that a host has for NICs.
func (f *fields) slots() []string {
	var slots []string
	for _, n := range f.words("slots") {
		bus, err := catalog.ParseBus(n.text)
		if err != nil || bus.PCIe() == nil {
			f.d.bad(diag.ValueUnknown, n.at, f.subject, fmt.Sprintf("%s is not a PCI Express slot", quote(n.text)), "",
				"write slots: [pcie3x16, pcie3x8] (generation and lanes)")
			continue
		}
		slots = append(slots, bus.String())
	}
	if len(slots) > maxSlots {
		f.bad(diag.TooLarge, "slots", fmt.Sprintf("the host has %d slots", len(slots)), fmt.Sprintf("linerate takes up to %d",
			maxSlots),
			"name those that NICs can use")
		return nil
	}
	return slots
}

// maxSlots bounds the slots of one host.
const maxSlots = 64

// behind reads what a slot or drive is connected to.
func (f *fields) behind() string {
	n := f.scalar("behind")
	if n == nil {
		return ""
	}
	if rest, ok := strings.CutPrefix(n.text, "cpu"); ok &&
		(rest == "" || len(rest) <= 2 && strings.Trim(rest, "0123456789") == "") {
		return n.text
	}
	return f.choice("behind", "cpu", "chipset", "switch")
}
