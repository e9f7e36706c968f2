package parse

import (
	"fmt"
	"net"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/iproute"
)

// takeSRIOV reads Get-NetAdapterSriov: whether an adapter has virtual functions, how many, and whether adapter and
// machine support them. While SR-IOV is off, an adapter has none. Properties: MSFT_NetAdapterSriovSettingData; no
// snapshot exists.
func takeSRIOV(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	if n == nil {
		return
	}
	s := &facts.SRIOV{Enabled: o.flag("Enabled"), Support: unit.Unknown[string]("SriovSupport is not in the snapshot"),
		Proof: f.Proof(o.line("NumVFs", "Enabled"))}
	if v := o.text("SriovSupport"); v != "" {
		s.Support = unit.Known(v)
		s.SupportProof = f.Proof(o.line("SriovSupport"))
	}
	adapterOf(n).SRIOV = s
	number, ok := o.number("NumVFs").Get()
	switch on, said := s.Enabled.Get(); {
	case said && !on:
		n.NumVFs = unit.Known(0)
		s.Proof = f.Proof(o.line("Enabled"))
	case said && ok && number <= parse.MaxFunctions:
		n.NumVFs = unit.Known(int(number))
	}
}

// takeFunction reads Get-NetAdapterSriovVf: a function of a virtual machine. Properties:
// MSFT_NetAdapterSriovVfSettingData; no snapshot exists.
func takeFunction(f *parse.Builder, o *psObject) {
	n := adapter(f, o)
	index, ok := o.number("FunctionID").Get()
	if n == nil || !ok || index >= parse.MaxFunctions {
		return
	}
	adapterOf(n)
	v := facts.VirtualFunction{Index: int(index), Machine: o.text("VmFriendlyName"), Proof: f.Proof(o.line("FunctionID"))}
	if mac, ok := psMAC(o.text("CurrentMacAddress", "PermanentMacAddress")); ok {
		v.MAC = mac
	}
	iproute.SetFunction(n, v)
}

// psMAC reads an address in the forms of Windows (00-15-5D-C8-20-07) and Hyper-V (00155DC82007); false: it is not an
// address, or all zero.
func psMAC(s string) (string, bool) {
	if len(s) == 12 {
		s = fmt.Sprintf("%s-%s-%s-%s-%s-%s", s[:2], s[2:4], s[4:6], s[6:8], s[8:10], s[10:])
	}
	mac, err := net.ParseMAC(s)
	if err != nil || len(mac) != 6 || strings.Trim(mac.String(), "0:") == "" {
		return "", false
	}
	return mac.String(), true
}

// takeVMSwitch reads Get-VMSwitch. Properties: Microsoft.HyperV.PowerShell.VMSwitch; no snapshot exists.
func takeVMSwitch(f *parse.Builder, o *psObject) {
	name := o.text("Name")
	if name == "" {
		return
	}
	s := facts.VMSwitch{Name: name, Type: o.text("SwitchType"), Teaming: o.flag("EmbeddedTeamingEnabled"),
		SRIOV: o.flag("IovEnabled"), Proof: f.Proof(o.line("IovEnabled", "SwitchType"))}
	for d := range strings.SplitSeq(strings.Trim(o.text("NetAdapterInterfaceDescriptions",
		"NetAdapterInterfaceDescription"), "{}"), ", ") {
		if d = strings.TrimSpace(d); d != "" {
			s.Adapters = append(s.Adapters, d)
		}
	}
	w := windowsOf(f)
	w.Switches = append(w.Switches, s)
}

// takeMachineAdapter reads Get-VMNetworkAdapter of virtual machines, with VLAN and its mode, from the script of
// collect: MacAddressSpoofing is On or Off. Properties: Microsoft.HyperV.PowerShell.VMNetworkAdapter, and its
// VlanSetting; no snapshot exists.
func takeMachineAdapter(f *parse.Builder, o *psObject) {
	machine := o.text("VMName")
	if machine == "" {
		return // of the host itself
	}
	a := facts.VMAdapter{Name: o.text("Name"), Machine: machine, Switch: o.text("SwitchName"),
		Weight: o.number("IovWeight"), Proof: f.Proof(o.line("SwitchName")),
		VLAN:     unit.Unknown[int]("its VLAN is not in the snapshot"),
		Spoofing: unit.Unknown[bool]("MacAddressSpoofing is not in the snapshot"),
		Mode:     unit.Unknown[string]("the mode of its VLAN is not in the snapshot")}
	a.MAC, _ = psMAC(o.text("MacAddress"))
	switch strings.ToLower(o.text("MacAddressSpoofing")) {
	case "on":
		a.Spoofing = unit.Known(true)
	case "off":
		a.Spoofing = unit.Known(false)
	}
	if mode := o.text("VlanMode"); mode != "" {
		a.Mode = unit.Known(mode)
		id, ok := o.number("Vlan").Get()
		switch {
		case mode == "Untagged":
			a.VLAN = unit.Known(0)
		case mode == "Access" && ok && id < 4096:
			a.VLAN = unit.Known(int(id))
		}
	}
	if o.row == "" && o.prop("Vlan") != nil && o.prop("MacAddressSpoofing") != nil {
		a.Proof = f.Proof(o.line("MacAddressSpoofing") + ", " + o.line("Vlan"))
	}
	w := windowsOf(f)
	w.Machines = append(w.Machines, a)
}

// settleFunctions adds Hyper-V's settings of a machine's adapter to its function, which has the same MAC address.
func settleFunctions(f *parse.Builder) {
	if f.Windows == nil {
		return
	}
	for i := range f.NICs {
		for j := range f.NICs[i].VFs {
			v := &f.NICs[i].VFs[j]
			var of *facts.VMAdapter
			for k := range f.Windows.Machines {
				if a := &f.Windows.Machines[k]; v.MAC != "" && a.MAC == v.MAC {
					of = a
				}
			}
			if of == nil {
				continue
			}
			v.Machine, v.Adapter, v.VLAN = of.Machine, of.Name, of.VLAN.Or(0)
			if on, ok := of.Spoofing.Get(); ok {
				v.SpoofCheck = unit.Known(!on)
			}
			v.Proof = of.Proof
		}
	}
}
