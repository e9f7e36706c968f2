package pcie

import (
	"fmt"
	"slices"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// fewOnWindows reports why Hyper-V cannot assign functions: SR-IOV is off on the adapter or has too few functions, the
// NIC or the machine does not support it, or the virtual switch was made without it.
func fewOnWindows(h *check.Host, n *facts.Interface, planned int, r *check.Report) {
	subject := h.Subject(n.Name)
	if n.Windows == nil || n.Windows.SRIOV == nil {
		r.NotKnownOf(subject, "functions", "Get-NetAdapterSriov is not in the snapshot, or does not name it: the NIC or "+
			"its driver has no SR-IOV, or it was not read")
		return
	}
	s, name := n.Windows.SRIOV, check.Quoted("windows", n.Name)
	f := record.Finding{Severity: record.Error, Subject: subject, Want: fmt.Sprintf("%d, as the plan gives to machines",
		planned), Evidence: []record.EvidenceLine{check.Proven(h, s.Proof)},
		Consequence: "machines that are to have one go through the virtual switch, which costs CPU time, or have no " +
			"network"}
	if why, ok := s.Support.Get(); ok && why != "Supported" && why != "1" && why != "Unknown" && why != "0" {
		f.Have, f.Want = "the machine cannot give functions of it ("+why+")", "Supported, for "+f.Want
		f.Evidence = []record.EvidenceLine{check.Proven(h, s.SupportProof)}
		f.Fix = "switch SR-IOV and VT-d or AMD-Vi on in the machine's setup and in the NIC's firmware; Get-VMHost | " +
			"Format-List IovSupport* says what else is amiss"
		r.Found(f, subject)
		return
	}
	if have, ok := n.NumVFs.Get(); ok && have < planned {
		f.Have = fmt.Sprintf("%d functions", have)
		f.Fix, f.Undo = fmt.Sprintf("Set-NetAdapterSriov -Name %s -Enabled $true -NumVFs %d\nthe link goes down for a "+
			"moment", name, planned), fmt.Sprintf("Set-NetAdapterSriov -Name %s -NumVFs %d", name, have)
		if !s.Enabled.Or(true) {
			f.Have, f.Undo = "SR-IOV is off", "Disable-NetAdapterSriov -Name "+name
		}
		r.Found(f, subject)
		return
	} else if !ok {
		r.NotKnownOf(subject, "functions", "Get-NetAdapterSriov says neither that SR-IOV is off nor how many functions "+
			"there are")
	}
	for _, w := range h.Facts.Windows.Switches {
		if on, ok := w.SRIOV.Get(); !ok || on || n.Windows.Description == "" ||
			!slices.Contains(w.Adapters, n.Windows.Description) {
			continue
		}
		f.Subject = h.Subject("switch " + w.Name)
		f.Have, f.Want = "made without SR-IOV", "with it, for the functions of "+n.Name
		f.Evidence = []record.EvidenceLine{check.Proven(h, w.Proof)}
		f.Fix = fmt.Sprintf("make it again (machines lose their network meanwhile): Remove-VMSwitch %s; New-VMSwitch -Name "+
			"%s -NetAdapterName %s -EnableIov $true", check.Quoted("windows", w.Name), check.Quoted("windows", w.Name), name)
		f.Undo = "the same without -EnableIov"
		r.Found(f, subject)
	}
}

// hyperV returns the commands that set the VLAN and the protection against other MAC addresses on the adapter of a
// function.
func hyperV(v *facts.VirtualFunction) (vlan func(int) string, guard map[bool]string) {
	of := " -VMName " + check.Quoted("windows", v.Machine)
	at, named := of, of
	if v.Adapter != "" {
		at += " -VMNetworkAdapterName " + check.Quoted("windows", v.Adapter)
		named += " -Name " + check.Quoted("windows", v.Adapter)
	}
	vlan = func(id int) string {
		if id == 0 {
			return "Set-VMNetworkAdapterVlan" + at + " -Untagged"
		}
		return fmt.Sprintf("Set-VMNetworkAdapterVlan%s -Access -VlanId %d", at, id)
	}
	return vlan, map[bool]string{true: "Set-VMNetworkAdapter" + named + " -MacAddressSpoofing Off",
		false: "Set-VMNetworkAdapter" + named + " -MacAddressSpoofing On"}
}
