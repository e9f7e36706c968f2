package pcie

import (
	"fmt"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// IOMMU checks whether the IOMMU translates an adapter's addresses.
var IOMMU = check.Check{
	ID:    "iommu",
	Title: "translation of a NIC's addresses by the IOMMU",
	Why: "each buffer of a NIC is mapped before and unmapped after its use; with devices in identity mode that is " +
		"left out",
	Worst:  record.Warning,
	Source: "Documentation/ABI/testing/sysfs-kernel-iommu_groups; openucx/ucx issue 5472: faster with iommu=pt",
	Look: func(w *check.World, r *check.Report) {
		for p := range w.Ports() {
			d := p.Host.Facts.PCIAt(p.Nic.PCI)
			if d == nil || d.IOMMU == "" || p.Port.Speed < check.FastLink || !strings.HasPrefix(d.IOMMU, "DMA") {
				continue
			}
			f := record.Finding{
				Severity: record.Info, Subject: p.Subject(), Have: "its group is translated, and unmapped in batches (DMA-FQ)",
				Want:        "identity, unless the NIC is given to virtual machines",
				Evidence:    []record.EvidenceLine{{Host: p.Host.Name, Source: d.IOMMULine.Source, Line: d.IOMMULine.Line}},
				Consequence: "each packet costs some more CPU time; how much shows a measurement with either setting",
				Fix:         "iommu=pt on the kernel's command line (/etc/default/grub, then update-grub), and a restart",
				Undo:        "take iommu=pt out again",
			}
			if d.IOMMU == "DMA" {
				f.Severity = record.Warning
				f.Have = "its group is translated, and each buffer unmapped at once (DMA, strict)"
				f.Consequence = "each packet waits for the IOMMU to forget its buffer; how much that costs shows a measurement " +
					"with iommu=pt"
			}
			r.Found(f, p.Subject())
		}
	},
}

// Functions compares the SR-IOV functions with the plan.
var Functions = check.Check{
	ID:    "sriov",
	Title: "functions of SR-IOV against the plan",
	Why: "a virtual machine whose function is not there, has no link or another VLAN has no network, or is in the " +
		"wrong one",
	Worst: record.Error,
	Source: "ip-link(8): vf; Documentation/PCI/pci-iov-howto.rst; Microsoft Learn: Get-NetAdapterSriov, New-VMSwitch " +
		"-EnableIov",
	Because: []string{"no-interface"},
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			if h.Plan == nil {
				continue
			}
			for _, s := range h.Plan.Settings {
				n := h.Facts.NIC(s.Interface)
				if s.Kind != plan.SetVFs || n == nil {
					continue
				}
				fewFunctions(h, n, s.Int, r)
				for _, p := range h.Plan.Ports {
					if p.Interface == s.Interface {
						setFunctions(h, n, p, s.Int, r)
					}
				}
			}
		}
	},
}

// fewFunctions reports whether there are fewer functions than planned, or no IOMMU to isolate them.
func fewFunctions(h *check.Host, n *facts.Interface, planned int, r *check.Report) {
	subject := h.Subject(n.Name)
	if h.Traits().PowerShell {
		fewOnWindows(h, n, planned, r)
		return
	}
	have, known := n.NumVFs.Get()
	if !known {
		r.NotKnownOf(subject, "functions", "sriov_numvfs is not in the snapshot: the NIC or its driver has no SR-IOV, or "+
			"it was not read")
		return
	}
	file := "sys/class/net/" + n.Name + "/device/sriov_numvfs"
	if have < planned {
		f := record.Finding{
			Severity: record.Error, Subject: subject, Have: fmt.Sprintf("%d functions", have),
			Want:        fmt.Sprintf("%d, as the plan gives to machines", planned),
			Evidence:    []record.EvidenceLine{{Host: h.Name, Source: file, Line: fmt.Sprint(have)}},
			Consequence: "machines that are to have one have no network",
			Fix: fmt.Sprintf("echo 0 > /%s; echo %d > /%s (machines that use one are to be stopped first)", file,
				planned, file), Undo: fmt.Sprintf("echo %d > /%s", have, file),
		}
		if total, ok := n.TotalVFs.Get(); ok && total < planned {
			f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name,
				Source: "sys/class/net/" + n.Name + "/device/sriov_totalvfs", Line: fmt.Sprint(total)})
			f.Fix = fmt.Sprintf("the NIC offers %d: raise that in its firmware (Mellanox: mstconfig -d ADDRESS set "+
				"SRIOV_EN=1 NUM_OF_VFS=%d) and in the machine's setup, then start again", total, planned)
		}
		r.Found(f, subject)
	}
	if groups, known := h.Facts.IOMMU.Get(); known && groups == 0 {
		r.Found(record.Finding{
			Severity: record.Error, Subject: h.Subject("IOMMU"), Have: "no group of devices", Want: "one for each function",
			Evidence: []record.EvidenceLine{{Host: h.Name, Source: "grep . /sys/kernel/iommu_groups/*/type",
				Line: "no group"}},
			Consequence: "no function can be given to a virtual machine",
			Fix: "switch VT-d or AMD-Vi on in the machine's setup, on Intel with intel_iommu=on iommu=pt on the " +
				"kernel's command line",
		}, h.Subject())
	}
}

// functionOf is a function of an interface as what a finding is about.
func functionOf(h *check.Host, n *facts.Interface, v *facts.VirtualFunction) record.Subject {
	return record.Subject{Host: h.Name, Parts: []string{n.Name}, Place: fmt.Sprintf("function %d", v.Index)}
}

// setFunctions reports whether functions are set so that a machine behind them has no network, or another one than the
// plan has.
func setFunctions(h *check.Host, n *facts.Interface, p *plan.Port, planned int, r *check.Report) {
	for i := range n.VFs {
		v := &n.VFs[i]
		subject := functionOf(h, n, v)
		f := record.Finding{Severity: record.Warning, Subject: subject,
			Evidence: []record.EvidenceLine{{Host: h.Name, Source: v.Source, Line: v.Line}}}
		set := fmt.Sprintf("ip link set %s vf %d ", n.Name, v.Index)
		to := func(vlan int) string { return set + fmt.Sprintf("vlan %d", vlan) }
		spoof := map[bool]string{true: set + "spoofchk on", false: set + "spoofchk off"}
		if h.Traits().PowerShell {
			if v.Machine == "" {
				continue // on Windows a function exists only while a machine has it
			}
			f.Subject.Place += ", of " + v.Machine
			to, spoof = hyperV(v)
		}
		switch {
		case v.Index >= planned && !h.Traits().PowerShell:
			continue
		case v.LinkState.Or("") == "disable":
			f.Have, f.Want, f.Consequence = "its link is disabled", "auto", "the machine that has it has no network"
			f.Fix, f.Undo = set+"state auto", set+"state disable"
		case v.VLAN != 0 && v.VLAN != p.VLAN:
			f.Have, f.Want = fmt.Sprintf("its frames are tagged with VLAN %d", v.VLAN), "none"
			if p.VLAN != 0 {
				f.Want = fmt.Sprintf("VLAN %d, as the plan has at this port, or none", p.VLAN)
			}
			f.Consequence = "the machine that has it is in another network than the plan says"
			f.Fix, f.Undo = to(p.VLAN), to(v.VLAN)
		case v.VLAN != 0 && v.VLAN == p.VLAN && !v.SpoofCheck.Or(true):
			f.Severity = record.Info
			f.Have, f.Want = "it may send under any MAC address (spoof checking off)", "on, unless the machine bridges others"
			f.Consequence = "a machine can take another one's place; nothing is slower for it"
			f.Fix, f.Undo = spoof[true], spoof[false]
		default:
			continue
		}
		r.Found(f, subject)
	}
}
