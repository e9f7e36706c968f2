package facts

import (
	"encoding/json"

	"github.com/vishvananda/netlink"
)

// renderFunctions writes the functions of SR-IOV as "ip -j -d link" does (ip/ipaddress.c, print_vfinfo). Where a driver does not have a
// setting the kernel gives all ones, and ip leaves it out; of spoof checking the library keeps no more than whether it is off.
func renderFunctions(list []netlink.VfInfo) (out []vfInfo) {
	for _, v := range list {
		spoof := v.Spoofchk
		vf := vfInfo{VF: v.ID, MAC: v.Mac.String(), SpoofCheck: &spoof}
		if v.Vlan != 0 {
			vf.VLANs = []vfVLAN{{VLAN: v.Vlan}}
		}
		switch v.LinkState {
		case 0:
			vf.LinkState = "auto"
		case 1:
			vf.LinkState = "enable"
		case 2:
			vf.LinkState = "disable"
		}
		switch v.Trust {
		case 0:
			vf.Trust = json.RawMessage("false")
		case 1:
			vf.Trust = json.RawMessage("true")
		}
		out = append(out, vf)
	}
	return out
}
