package pcie

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// IOMMUGroup checks for devices that share an IOMMU group with a function.
var IOMMUGroup = check.Check{
	ID:    "iommu-group",
	Title: "devices that share a group of the IOMMU with a function",
	Why: "a virtual machine is given all devices of a group or none: what has to stay with the host, or is another " +
		"machine's, keeps the function from it",
	Worst: record.Error,
	Source: "Documentation/driver-api/vfio.rst: groups, devices and IOMMUs; Documentation/ABI/testing/sysfs-bus-pci: " +
		"virtfnN",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			if h.Plan == nil || !h.Traits().Proc {
				continue
			}
			for _, s := range h.Plan.Settings {
				if n := h.Facts.NIC(s.Interface); s.Kind == plan.SetVFs && n != nil {
					sharedGroups(w, h, n, s.Int, r)
				}
			}
		}
	},
}

// sharedGroup is a group with functions of one NIC and other devices.
type sharedGroup struct {
	number    string
	functions []*facts.VirtualFunction
	others    []facts.GroupMember // those of the first function, with functions of the same NIC
}

// sharedGroups examines the groups of the functions that the plan has at an interface.
func sharedGroups(w *check.World, h *check.Host, n *facts.Interface, planned int, r *check.Report) {
	var groups []*sharedGroup
	for i := range n.VFs {
		v := &n.VFs[i]
		if v.Index >= planned {
			continue
		}
		subject := functionOf(h, n, v)
		number, others, unsure := h.Facts.GroupOf(v.PCI)
		switch {
		case h.Facts.IOMMU.Or(-1) == 0: // check sriov reports it
			return
		case v.PCI == "":
			r.NotKnown(h.Name+": "+n.Name+": groups of the IOMMU", "which device a function is (ls -l "+
				"/sys/class/net/%s/device/virtfn*) is not in the snapshot", n.Name)
			return
		case number == "":
			r.NotKnown(h.Name+": "+n.Name+": groups of the IOMMU", "%s is in no group of the snapshot (grep . "+
				"/sys/kernel/iommu_groups/*/devices/*/class)", v.PCI)
			return
		case len(others) == 0 && len(unsure) > 0:
			r.NotKnownOf(subject, "group of the IOMMU", "whether %s, which shares group %s, is a bridge is not in the snapshot",
				unsure[0].Address, number)
			continue
		case len(others) == 0:
			continue
		}
		at := slices.IndexFunc(groups, func(g *sharedGroup) bool { return g.number == number })
		if at < 0 {
			groups, at = append(groups, &sharedGroup{number: number, others: others}), len(groups)
		}
		groups[at].functions = append(groups[at].functions, v)
	}
	for _, g := range groups {
		r.Found(g.finding(w, h, n), h.Subject(n.Name))
	}
}

// finding names the devices that share a group with functions. It is an error where the plan gives one of the functions
// to a virtual machine.
func (g *sharedGroup) finding(w *check.World, h *check.Host, n *facts.Interface) record.Finding {
	var indexes []int
	own := map[string]bool{}
	for _, v := range g.functions {
		indexes, own[v.PCI] = append(indexes, v.Index), true
	}
	var names []string
	evidence := []record.EvidenceLine{{Host: h.Name, Source: g.functions[0].PCIProof.Source,
		Line: g.functions[0].PCIProof.Line}}
	for _, o := range g.others {
		if !own[o.Address] {
			names = append(names, groupName(h, o))
			if len(evidence) < 4 {
				evidence = append(evidence, record.EvidenceLine{Host: h.Name, Source: o.Source, Line: o.Line})
			}
		}
	}
	have := fmt.Sprintf("%s %s share group %s of the IOMMU", check.Plural(len(indexes), "function", "functions"),
		check.Numbers(indexes), g.number)
	if len(indexes) == 1 {
		have = fmt.Sprintf("function %d shares group %s of the IOMMU", indexes[0], g.number)
	}
	if len(names) > 4 {
		names = append(names[:4], fmt.Sprintf("%d more", len(names)-4))
	}
	if len(names) > 0 {
		have += " with " + unit.List(names)
	} else if len(g.others) > 0 {
		evidence = append(evidence, record.EvidenceLine{Host: h.Name, Source: g.others[0].Source, Line: g.others[0].Line})
	}
	f := record.Finding{
		Severity: record.Warning, Subject: h.Subject(n.Name), Have: have, Want: "a group of its own for each function",
		Evidence: evidence,
		Consequence: "no function of that group can be given to a virtual machine alone; all devices of the group go to " +
			"one machine, and what this host uses of them is taken from it",
		Fix: "move the NIC to a slot of the CPU's own, or switch ACS on in the machine's setup; the ports above the NIC " +
			"have to have it (lspci -vvv: ACSCtl with SrcValid+). Then find /sys/kernel/iommu_groups -type l shows each " +
			"function alone",
		Undo: "move the NIC back, or switch ACS off",
	}
	if vm := machineOf(w, h, n); vm != "" {
		f.Severity = record.Error
		f.Consequence = vm + " does not start with its function: " + f.Consequence
	}
	return f
}

// groupName names a device by its interface, where it has one on the host.
func groupName(h *check.Host, m facts.GroupMember) string {
	for i := range h.Facts.NICs {
		if h.Facts.NICs[i].PCI == m.Address {
			return fmt.Sprintf("%s (%s)", m.Address, h.Facts.NICs[i].Name)
		}
	}
	return m.Address
}

// machineOf returns a virtual machine of the plan that has a function of an interface; empty: none has.
func machineOf(w *check.World, h *check.Host, n *facts.Interface) string {
	for _, p := range h.Plan.Ports {
		if p.Interface != n.Name {
			continue
		}
		for _, o := range w.Plan.Hosts {
			for _, c := range o.Decl.NICs {
				if c.VF != "" && c.VF == p.ID {
					return o.Name
				}
			}
		}
	}
	return ""
}
