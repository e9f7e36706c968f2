package facts

import (
	"fmt"
	"net"
	"strings"

	"linerate/internal/base/unit"
)

// VMSwitch is a virtual switch of Hyper-V.
type VMSwitch struct {
	Name, Type string         // External, Internal, Private
	Adapters   []string       // descriptions of the cards below it
	Teaming    unit.Opt[bool] // of them, inside of the switch (SET)
	SRIOV      unit.Opt[bool] // it was made so that machines can have functions of its card; that cannot be changed later
	Proof
}

// VMAdapter is an adapter that Hyper-V gives to a machine.
type VMAdapter struct {
	Name, Machine, Switch string
	MAC                   string           // empty: not known
	VLAN                  unit.Opt[int]    // 0: none
	Spoofing              unit.Opt[bool]   // it may send under another MAC address
	Weight                unit.Opt[int64]  // of SR-IOV; 0: it wants no function
	Mode                  unit.Opt[string] // of the VLAN: Untagged, Access, Trunk
	Proof
}

// SRIOV is what an adapter of Windows says of its functions.
type SRIOV struct {
	Enabled      unit.Opt[bool]
	Support      unit.Opt[string] // "Supported", else why it is not: "MissingAcs", "NoVfBarSpace"; a number where it came as one
	Proof                         // of how many there are
	SupportProof Proof
}

// takeSRIOV reads Get-NetAdapterSriov: whether an adapter gives functions, how many, and whether card and machine can. Properties:
// MSFT_NetAdapterSriovSettingData; no real output is behind it. That there are none while it is off is what its own word says.
func takeSRIOV(f *Facts, o *psObject) {
	n := f.adapter(o)
	if n == nil {
		return
	}
	s := &SRIOV{Enabled: o.flag("Enabled"), Support: unit.Unknown[string]("SriovSupport is not in the capture"), Proof: f.proof(o.line("NumVFs", "Enabled"))}
	if v := o.text("SriovSupport"); v != "" {
		s.Support = known(v)
		s.SupportProof = f.proof(o.line("SriovSupport"))
	}
	n.windows().SRIOV = s
	number, ok := o.number("NumVFs").Get()
	switch on, said := s.Enabled.Get(); {
	case said && !on:
		n.NumVFs = known(0)
		s.Proof = f.proof(o.line("Enabled"))
	case said && ok && number <= maxFunctions:
		n.NumVFs = known(int(number))
	}
}

// takeFunction reads Get-NetAdapterSriovVf: a function that a machine has. Properties: MSFT_NetAdapterSriovVfSettingData; no real
// output is behind it.
func takeFunction(f *Facts, o *psObject) {
	n := f.adapter(o)
	index, ok := o.number("FunctionID").Get()
	if n == nil || !ok || index >= maxFunctions {
		return
	}
	n.windows()
	v := VirtualFunction{Index: int(index), Machine: o.text("VmFriendlyName"), Proof: f.proof(o.line("FunctionID"))}
	if mac, ok := psMAC(o.text("CurrentMacAddress", "PermanentMacAddress")); ok {
		v.MAC = mac
	}
	n.function(v)
}

// psMAC reads an address as Windows (00-15-5D-C8-20-07) and Hyper-V (00155DC82007) write it; false: it is none, or all zero.
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

// takeVMSwitch reads Get-VMSwitch. Properties: Microsoft.HyperV.PowerShell.VMSwitch; no real output is behind it.
func takeVMSwitch(f *Facts, o *psObject) {
	name := o.text("Name")
	if name == "" {
		return
	}
	s := VMSwitch{Name: name, Type: o.text("SwitchType"), Teaming: o.flag("EmbeddedTeamingEnabled"), SRIOV: o.flag("IovEnabled"), Proof: f.proof(o.line("IovEnabled", "SwitchType"))}
	for d := range strings.SplitSeq(strings.Trim(o.text("NetAdapterInterfaceDescriptions", "NetAdapterInterfaceDescription"), "{}"), ", ") {
		if d = strings.TrimSpace(d); d != "" {
			s.Adapters = append(s.Adapters, d)
		}
	}
	w := f.windows()
	w.Switches = append(w.Switches, s)
}

// takeMachineAdapter reads Get-VMNetworkAdapter of virtual machines, with VLAN and its mode beside, as windows.ps1 asks for it: MacAddressSpoofing
// is On or Off. Properties: Microsoft.HyperV.PowerShell.VMNetworkAdapter, and its VlanSetting; no real output is behind it.
func takeMachineAdapter(f *Facts, o *psObject) {
	machine := o.text("VMName")
	if machine == "" {
		return // of the host itself
	}
	a := VMAdapter{Name: o.text("Name"), Machine: machine, Switch: o.text("SwitchName"), Weight: o.number("IovWeight"), Proof: f.proof(o.line("SwitchName")),
		VLAN: unit.Unknown[int]("its VLAN is not in the capture"), Spoofing: unit.Unknown[bool]("MacAddressSpoofing is not in the capture"), Mode: unit.Unknown[string]("the mode of its VLAN is not in the capture")}
	a.MAC, _ = psMAC(o.text("MacAddress"))
	switch strings.ToLower(o.text("MacAddressSpoofing")) {
	case "on":
		a.Spoofing = known(true)
	case "off":
		a.Spoofing = known(false)
	}
	if mode := o.text("VlanMode"); mode != "" {
		a.Mode = known(mode)
		id, ok := o.number("Vlan").Get()
		switch {
		case mode == "Untagged":
			a.VLAN = known(0)
		case mode == "Access" && ok && id < 4096:
			a.VLAN = known(int(id))
		}
	}
	if o.row == "" && o.prop("Vlan") != nil && o.prop("MacAddressSpoofing") != nil {
		a.Proof = f.proof(o.line("MacAddressSpoofing") + ", " + o.line("Vlan"))
	}
	w := f.windows()
	w.Machines = append(w.Machines, a)
}

// settleFunctions gives a function what Hyper-V says of the adapter of the machine that has it: they have one MAC address.
func settleFunctions(f *Facts) {
	if f.Windows == nil {
		return
	}
	for i := range f.NICs {
		for j := range f.NICs[i].VFs {
			v := &f.NICs[i].VFs[j]
			var of *VMAdapter
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
				v.SpoofCheck = known(!on)
			}
			v.Proof = of.Proof
		}
	}
}
