package iproute

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// VFInfo is a function in vfinfo_list of "ip -j -d link". trust is a word in early releases and a boolean later.
type VFInfo struct {
	VF         int             `json:"vf"`
	Address    string          `json:"address,omitempty"`
	MAC        string          `json:"mac,omitempty"` // in early releases
	VLANs      []VFVLAN        `json:"vlan_list,omitempty"`
	SpoofCheck *bool           `json:"spoofchk,omitempty"`
	LinkState  string          `json:"link_state,omitempty"`
	Trust      json.RawMessage `json:"trust,omitempty"`
}

type VFVLAN struct {
	VLAN int `json:"vlan,omitempty"`
}

// function converts a function of the JSON to a fact.
func (v VFInfo) function() facts.VirtualFunction {
	out := facts.VirtualFunction{Index: v.VF, MAC: strings.ToLower(v.Address + v.MAC)}
	if len(v.VLANs) > 0 {
		out.VLAN = v.VLANs[0].VLAN
	}
	if v.SpoofCheck != nil {
		out.SpoofCheck = unit.Known(*v.SpoofCheck)
	}
	if v.LinkState != "" {
		out.LinkState = unit.Known(v.LinkState)
	}
	switch strings.Trim(string(v.Trust), `"`) {
	case "true", "on":
		out.Trust = unit.Known(true)
	case "false", "off":
		out.Trust = unit.Known(false)
	}
	return out
}

// line returns the function in ip's form, as evidence.
func line(v *facts.VirtualFunction) string {
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

// parseFunction reads a line "vf 0 .." of the text of "ip link" below an interface with SR-IOV:
//
//	vf 0     link/ether 6e:cc:c3:fe:ad:7f brd ff:ff:ff:ff:ff:ff, spoof checking on, link-state auto, trust off
//	vf 1 MAC 52:54:00:00:00:01, vlan 100, spoof checking on, link-state auto
//
// Snapshot: ip-s-d-link--insights-ip-s-link-all-4.
func parseFunction(line string) (v facts.VirtualFunction, ok bool) {
	m := vfHead.FindStringSubmatch(line)
	if m == nil {
		return v, false
	}
	index, err := strconv.Atoi(m[1])
	if err != nil || index >= parse.MaxFunctions {
		return v, false
	}
	v = facts.VirtualFunction{Index: index, MAC: strings.ToLower(m[2])}
	v.Line = facts.OneLine(line)
	if m := vfVLANs.FindStringSubmatch(line); m != nil {
		v.VLAN, _ = strconv.Atoi(m[1])
	}
	for _, m := range vfOnOff.FindAllStringSubmatch(line, -1) {
		if m[1] == "trust" {
			v.Trust = unit.Known(m[2] == "on")
		} else {
			v.SpoofCheck = unit.Known(m[2] == "on")
		}
	}
	if m := vfLink.FindStringSubmatch(line); m != nil {
		v.LinkState = unit.Known(m[1])
	}
	return v, true
}

// SetFunction adds a function, or replaces the one with its number.
func SetFunction(n *facts.Interface, v facts.VirtualFunction) {
	for i := range n.VFs {
		if n.VFs[i].Index == v.Index {
			v.PCI, v.PCIProof = n.VFs[i].PCI, n.VFs[i].PCIProof
			n.VFs[i] = v
			return
		}
	}
	n.VFs = append(n.VFs, v)
}

// PutFunctionCount stores sriov_numvfs and sriov_totalvfs.
func PutFunctionCount(of func(*facts.Interface) *unit.Opt[int]) func(*parse.Builder, []string, uint64) {
	return func(f *parse.Builder, args []string, v uint64) {
		if v <= parse.MaxFunctions {
			*of(f.Interface(args[0])) = unit.Known(int(v))
		}
	}
}
