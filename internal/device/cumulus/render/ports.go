package render

import (
	"fmt"
	"strconv"

	"linerate/internal/base/xslices"
	"linerate/internal/device"
	"linerate/internal/device/config"
	"linerate/internal/device/cumulus"
	"linerate/internal/device/dcb"
)

// defaultMTU is the MTU of a configured port, and the largest in the guide.
const defaultMTU = cumulus.MTU

func (r *render) mtu() {
	wide := xslices.Filter(r.Ports, func(x dcb.Port) bool { return x.MTU > 1500 && x.MTU <= defaultMTU })
	if len(wide) > 0 {
		at := list(wide)
		r.set(docPorts, "room for the hosts' MTU: larger packets are dropped. It is also the default",
			fmt.Sprintf("interface %s link mtu %d", at, defaultMTU), fmt.Sprintf("interface %s link mtu", at))
	}
	for _, x := range wide {
		r.ExpectLine(docPorts, "nv show interface "+name(x), "room for the hosts' packets", fmt.Sprintf("mtu %d", defaultMTU))
	}
}

// bridge joins the ports: without a bridge, a port of Cumulus Linux routes instead of forwarding to other ports.
func (r *render) bridge() {
	vlans := r.VLANs()
	r.set(docBridge, "the ports are one switched network: without a bridge each would be routed",
		"interface "+r.all+" bridge domain br_default", "interface "+r.all+" bridge domain br_default")
	if len(vlans) == 0 {
		return
	}
	r.set(docBridge, "VLANs of the plan", "bridge domain br_default vlan "+config.Numbers(vlans, ","),
		"bridge domain br_default vlan "+config.Numbers(vlans, ","))
	for _, v := range vlans {
		of := xslices.Filter(r.Ports, func(x dcb.Port) bool { return x.VLAN == v })
		r.set(docBridge, fmt.Sprintf("these links are tagged with VLAN %d", v),
			fmt.Sprintf("interface %s bridge domain br_default vlan %d", list(of), v),
			fmt.Sprintf("interface %s bridge domain br_default vlan %d", list(of), v))
	}
}

// lanes divides ports whose links name lanes of a breakout.
func (r *render) lanes() {
	for _, x := range r.Divided() {
		at := "interface swp" + strconv.Itoa(x.Index) + " link breakout"
		if !r.Gaps.Has(device.GapLanes, x.ID) {
			r.set(docPorts, "the cable divides port "+strconv.Itoa(x.Index)+" into four of 25G", at+" 4x25G", at)
		}
	}
}
