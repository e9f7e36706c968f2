package render

import (
	"fmt"
	"slices"

	"linerate/internal/device/dcb"
)

// defaultMTU is the default MTU of SONiC's ports. The plan compares with the largest supported one.
const defaultMTU = 9100

func (r *render) mtu() {
	for _, x := range r.Ports {
		if x.MTU <= 1500 {
			continue
		}
		want := max(x.MTU, defaultMTU)
		r.Apply.Add(cmdref, fmt.Sprintf("room for the hosts' MTU of %d: larger packets are dropped", x.MTU),
			fmt.Sprintf("sudo config interface mtu %s %d", r.name(x), want))
		r.ExpectAt(cmdref, "table", "show interfaces status", "room for the hosts' packets", fmt.Sprint(want), r.name(x),
			"MTU")
	}
}

// vlans joins the ports: without a VLAN, a port of SONiC routes instead of forwarding to other ports. Links without a
// tag share a VLAN inside the switch, whose number is never sent; SONiC does not accept 1 for it.
func (r *render) vlans() {
	if len(r.Ports) == 0 {
		return
	}
	tagged, own := r.VLANs(), 2
	for slices.Contains(tagged, own) {
		own++
	}
	if slices.ContainsFunc(r.Ports, func(x dcb.Port) bool { return x.VLAN == 0 }) {
		r.Apply.Add(cmdref, "links without a tag are one switched network; this number is the switch's own and leaves "+
			"no port", fmt.Sprintf("sudo config vlan add %d", own))
	}
	for _, id := range tagged {
		r.Apply.Add(cmdref, "a VLAN of the plan", fmt.Sprintf("sudo config vlan add %d", id))
	}
	for _, x := range r.Ports {
		mode, id, flag, how, why := "access", own, "-u ", "untagged", "in the switch's own network"
		if x.VLAN > 0 {
			mode, id, flag, how, why = "trunk", x.VLAN, "", "tagged", "its link is tagged"
		}
		if r.version.AtLeast(202411) {
			r.Apply.Add(cmdref, "a port that routes cannot be in a VLAN",
				fmt.Sprintf("sudo config switchport mode %s %s", mode, r.name(x)))
		}
		r.Apply.Add(cmdref, why, fmt.Sprintf("sudo config vlan member add %s%d %s", flag, id, r.name(x)))
		r.ExpectLine(cmdref, "show vlan config", why, fmt.Sprintf("Vlan%d %d %s %s", id, id, r.name(x), how))
	}
	if !r.version.AtLeast(202411) {
		r.Device.Unverified = append(r.Device.Unverified,
			"from about 202405 on a port has to leave the mode routed before it can be in a VLAN; if apply.sh stops there, "+
				"`sudo config switchport mode access PORT` (trunk for tagged ones) and run it again")
	}
}
