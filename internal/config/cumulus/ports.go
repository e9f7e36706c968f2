package cumulus

import (
	"fmt"
	"slices"
	"strconv"

	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// defaultMTU is what a configured port has, and the most that the guide speaks of.
var defaultMTU = plan.SystemOf("cumulus").MTU

func (r *render) mtu() {
	var wide []dcb.Port
	for _, x := range r.ports {
		if x.MTU > 1500 && x.MTU <= defaultMTU {
			wide = append(wide, x)
		}
	}
	if len(wide) > 0 {
		at := list(wide)
		r.set(docPorts, "room for the hosts' MTU: larger packets are dropped. It is also the default", fmt.Sprintf("interface %s link mtu %d", at, defaultMTU), fmt.Sprintf("interface %s link mtu", at))
	}
	for _, x := range wide {
		r.expect = append(r.expect, dcb.Expect{Command: "nv show interface " + name(x), Form: "lines", Want: fmt.Sprintf("mtu %d", defaultMTU), Why: "room for the hosts' packets", By: docPorts})
	}
}

// bridge joins the ports: a port of Cumulus that belongs to no bridge routes, and carries nothing to the next port.
func (r *render) bridge() {
	var vlans []int
	for _, x := range r.ports {
		if x.VLAN > 0 && !slices.Contains(vlans, x.VLAN) {
			vlans = append(vlans, x.VLAN)
		}
	}
	slices.Sort(vlans)
	r.set(docBridge, "the ports are one switched network: without a bridge each would be routed", "interface "+r.all+" bridge domain br_default", "interface "+r.all+" bridge domain br_default")
	if len(vlans) == 0 {
		return
	}
	r.set(docBridge, "VLANs of the plan", "bridge domain br_default vlan "+device.Numbers(vlans, ","), "bridge domain br_default vlan "+device.Numbers(vlans, ","))
	for _, v := range vlans {
		var of []dcb.Port
		for _, x := range r.ports {
			if x.VLAN == v {
				of = append(of, x)
			}
		}
		r.set(docBridge, fmt.Sprintf("these links are tagged with VLAN %d", v), fmt.Sprintf("interface %s bridge domain br_default vlan %d", list(of), v), fmt.Sprintf("interface %s bridge domain br_default vlan %d", list(of), v))
	}
}

// lanes divides ports whose links name lanes of a breakout.
func (r *render) lanes() {
	last := 0
	for _, x := range r.ports {
		if x.Lane == 0 || x.Index == last {
			continue
		}
		last = x.Index
		at := "interface swp" + strconv.Itoa(x.Index) + " link breakout"
		if !r.lacks.Has(plan.LackLanes, x.ID) {
			r.set(docPorts, "the cable divides port "+strconv.Itoa(x.Index)+" into four of 25G", at+" 4x25G", at)
		}
	}
}
