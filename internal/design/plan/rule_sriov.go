package plan

import (
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

var ruleSRIOV = Rule{
	ID:    "sriov",
	Title: "virtual functions against NIC, IOMMU and memory",
	Why:   "a function is handed to a machine by the IOMMU, which pins all of that machine's memory",
	Worst: record.Error,
	check: func(c *checkup) {
		guests := map[string][]*fabric.Host{}
		for _, h := range c.f.Hosts {
			if h.On != "" && slices.ContainsFunc(h.NICs, func(n *fabric.NIC) bool { return n.VF != "" }) {
				guests[h.On] = append(guests[h.On], h)
			}
		}
		for _, h := range c.f.Hosts {
			for _, n := range h.NICs {
				if n.Part != nil && n.VFs > 0 {
					c.functions(h, n)
				}
			}
			c.pinned(h, guests[h.Name])
		}
	},
}

// functions checks one NIC with virtual functions. The reader of the file refuses machines that use more of them.
func (c *checkup) functions(h *fabric.Host, n *fabric.NIC) {
	subject, part, line := h.Name+"."+n.Name, n.Part, n.At.Line
	can, known := part.SRIOV.Get()
	most, counted := part.VFs.Get()
	switch {
	case known && !can:
		c.fail(subject, line, "take a NIC with SR-IOV, or bridge the machines",
			"functions are asked of it, and %s has no SR-IOV", part.Name)
		return
	case !known:
		c.info("part "+part.Name, line, "look into its data sheet",
			"whether it has SR-IOV is not known, because no source of the catalogue says so")
	case counted && n.VFs > most:
		c.fail(subject, line, "ask for fewer",
			"%d functions of each port are asked of it, and a port of %s has at most %d", n.VFs, part.Name, most)
	}
	c.info("host "+h.Name, h.At.Line,
		"switch them on before anything else: functions do not appear without",
		"functions need SR-IOV and the IOMMU (Intel VT-d, AMD-Vi) switched on in the machine's setup; whether it has them "+
			"is not known, because the file does not say")
}

// pinned adds up the memory that the machines with functions keep to themselves.
func (c *checkup) pinned(h *fabric.Host, guests []*fabric.Host) {
	have, err := unit.ParseBytes(h.Memory)
	if err != nil || have == 0 {
		return
	}
	var sum unit.Bytes
	for _, g := range guests {
		if m, err := unit.ParseBytes(g.Memory); err == nil {
			sum += m
		}
	}
	if sum > have {
		c.fail("host "+h.Name, h.At.Line, "give the machines less memory, or the host more",
			"its %s with functions have %s of memory together, which cannot be swapped out, and the host has %s",
			unit.Counted(len(guests), "virtual machine"), sum, have)
	}
}
