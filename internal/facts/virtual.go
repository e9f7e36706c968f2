package facts

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// VirtualFunction is a function of SR-IOV of an interface, as the interface itself (the physical function) has it set.
type VirtualFunction struct {
	Index      int
	MAC        string
	VLAN       int              // 0: none
	SpoofCheck unit.Opt[bool]   // the card drops what it sends under another MAC address
	Trust      unit.Opt[bool]   // it may become promiscuous and change its address
	LinkState  unit.Opt[string] // auto, enable, disable
	// Machine has it, under the name Adapter; empty: not known (only Hyper-V says it).
	Machine, Adapter string
	PCI              string // address of its own device; empty: not known
	PCIProof         Proof
	Proof            // of what the interface has set; empty: that is not known
}

// vfInfo is a function as "ip -j -d link" prints it in vfinfo_list. trust is a word in early releases and a truth value later.
type vfInfo struct {
	VF         int             `json:"vf"`
	Address    string          `json:"address,omitempty"`
	MAC        string          `json:"mac,omitempty"` // in early releases
	VLANs      []vfVLAN        `json:"vlan_list,omitempty"`
	SpoofCheck *bool           `json:"spoofchk,omitempty"`
	LinkState  string          `json:"link_state,omitempty"`
	Trust      json.RawMessage `json:"trust,omitempty"`
}

type vfVLAN struct {
	VLAN int `json:"vlan,omitempty"`
}

// function is a function of the JSON as a fact.
func (v vfInfo) function() VirtualFunction {
	out := VirtualFunction{Index: v.VF, MAC: strings.ToLower(v.Address + v.MAC)}
	if len(v.VLANs) > 0 {
		out.VLAN = v.VLANs[0].VLAN
	}
	if v.SpoofCheck != nil {
		out.SpoofCheck = known(*v.SpoofCheck)
	}
	if v.LinkState != "" {
		out.LinkState = known(v.LinkState)
	}
	switch strings.Trim(string(v.Trust), `"`) {
	case "true", "on":
		out.Trust = known(true)
	case "false", "off":
		out.Trust = known(false)
	}
	return out
}

// line is the function as ip writes it, for evidence.
func (v *VirtualFunction) line() string {
	s := fmt.Sprintf("vf %d link/ether %s", v.Index, v.MAC)
	if v.VLAN != 0 {
		s += fmt.Sprintf(", vlan %d", v.VLAN)
	}
	on := map[bool]string{true: "on", false: "off"}
	if c, ok := v.SpoofCheck.Get(); ok {
		s += ", spoof checking " + on[c]
	}
	if l, ok := v.LinkState.Get(); ok {
		s += ", link-state " + l
	}
	if t, ok := v.Trust.Get(); ok {
		s += ", trust " + on[t]
	}
	return s
}

var (
	vfHead  = lazyregexp.New(`^\s*vf (\d+)\s+(?:MAC|link/\S+) ([0-9a-fA-F:]{11,})`)
	vfVLANs = lazyregexp.New(`, vlan (\d+)`)
	vfOnOff = lazyregexp.New(`, (spoof checking|trust) (on|off)`)
	vfLink  = lazyregexp.New(`, link-state (auto|enable|disable)`)
)

// parseFunction reads a line "vf 0 .." that "ip link" prints as text below an interface with SR-IOV:
//
//	vf 0     link/ether 6e:cc:c3:fe:ad:7f brd ff:ff:ff:ff:ff:ff, spoof checking on, link-state auto, trust off
//	vf 1 MAC 52:54:00:00:00:01, vlan 100, spoof checking on, link-state auto
//
// The capture behind it is ip-s-d-link--insights-ip-s-link-all-4.
func parseFunction(line string) (v VirtualFunction, ok bool) {
	m := vfHead.FindStringSubmatch(line)
	if m == nil {
		return v, false
	}
	index, err := strconv.Atoi(m[1])
	if err != nil || index >= maxFunctions {
		return v, false
	}
	v = VirtualFunction{Index: index, MAC: strings.ToLower(m[2])}
	v.Line = oneLine(line)
	if m := vfVLANs.FindStringSubmatch(line); m != nil {
		v.VLAN, _ = strconv.Atoi(m[1])
	}
	for _, m := range vfOnOff.FindAllStringSubmatch(line, -1) {
		if m[1] == "trust" {
			v.Trust = known(m[2] == "on")
		} else {
			v.SpoofCheck = known(m[2] == "on")
		}
	}
	if m := vfLink.FindStringSubmatch(line); m != nil {
		v.LinkState = known(m[1])
	}
	return v, true
}

// maxFunctions bounds the numbers of functions; a card has at most some hundreds.
const maxFunctions = 4096

// function adds a function, or replaces the one of its number.
func (n *Interface) function(v VirtualFunction) {
	for i := range n.VFs {
		if n.VFs[i].Index == v.Index {
			v.PCI, v.PCIProof = n.VFs[i].PCI, n.VFs[i].PCIProof
			n.VFs[i] = v
			return
		}
	}
	n.VFs = append(n.VFs, v)
}

// putFunctionCount stores sriov_numvfs and sriov_totalvfs.
func putFunctionCount(of func(*Interface) *unit.Opt[int]) func(*Facts, []string, uint64) {
	return func(f *Facts, args []string, v uint64) {
		if v <= maxFunctions {
			*of(f.nic(args[0])) = known(int(v))
		}
	}
}
