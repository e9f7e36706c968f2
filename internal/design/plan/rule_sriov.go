package plan

import (
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

var ruleSRIOV = Rule{
	ID:    "sriov",
	Title: "virtual functions against card, IOMMU and memory",
	Why:   "a function is handed to a machine by the IOMMU, which pins all of that machine's memory",
	Worst: record.Error,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		guests := map[string][]*fabric.Host{}
		for _, h := range c.f.Hosts {
			has := false
			for _, n := range h.NICs {
				if n.VF != "" {
					has = true
				}
			}
			if has && h.On != "" {
				guests[h.On] = append(guests[h.On], h)
			}
		}
		for _, h := range c.f.Hosts {
			for _, n := range h.NICs {
				if n.Part != nil {
					out = append(out, functions(h, n)...)
				}
			}
			if p, ok := pinned(h, guests[h.Name]); ok {
				out = append(out, p)
			}
		}
		return out
	},
}

// functions looks at one card; that machines use no more functions than there are is seen when the file is read.
func functions(h *fabric.Host, n *fabric.NIC) []record.Problem {
	var out []record.Problem
	subject, part, line := h.Name+"."+n.Name, n.Part, n.At.Line
	if n.VFs == 0 {
		return nil
	}
	can, known := part.SRIOV.Get()
	most, counted := part.VFs.Get()
	switch {
	case known && !can:
		out = append(out, said(record.Error, subject, line, "take a card with SR-IOV, or bridge the machines", "functions are asked of it, and %s has no SR-IOV", part.Name))
		return out
	case !known:
		out = append(out, said(record.Info, "part "+part.Name, line, "look into its data sheet", "whether it has SR-IOV is not known, because no source of the catalogue says so"))
	case counted && n.VFs > most:
		out = append(out, said(record.Error, subject, line, "ask for fewer", "%d functions of each port are asked of it, and a port of %s has at most %d", n.VFs, part.Name, most))
	}
	return append(out, said(record.Info, "host "+h.Name, h.At.Line, "switch them on before anything else: functions do not appear without",
		"functions need SR-IOV and the IOMMU (Intel VT-d, AMD-Vi) switched on in the machine's setup; whether it has them is not known, because the file does not say"))
}

// pinned adds up the memory that the machines with functions keep to themselves.
func pinned(h *fabric.Host, guests []*fabric.Host) (record.Problem, bool) {
	have, err := unit.ParseBytes(h.Memory)
	if err != nil || have == 0 {
		return record.Problem{}, false
	}
	var sum unit.Bytes
	for _, g := range guests {
		if m, err := unit.ParseBytes(g.Memory); err == nil {
			sum += m
		}
	}
	if sum <= have {
		return record.Problem{}, false
	}
	return said(record.Error, "host "+h.Name, h.At.Line, "give the machines less memory, or the host more",
		"its %s with functions have %s of memory together, which cannot be swapped out, and the host has %s", counted(len(guests), "virtual machine"), sum, have), true
}
