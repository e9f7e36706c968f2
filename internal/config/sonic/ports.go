package sonic

import (
	"fmt"

	"linerate/internal/config/dcb"
)

// defaultMTU is what SONiC's ports have. The most that they take is the plan's to know.
const defaultMTU = 9100

func (r *render) mtu() {
	for _, x := range r.ports {
		want := defaultMTU
		switch {
		case x.MTU <= 1500:
			continue
		case x.MTU > defaultMTU:
			want = x.MTU
		}
		r.apply.Add(cmdref, fmt.Sprintf("room for the hosts' MTU of %d: larger packets are dropped", x.MTU), fmt.Sprintf("sudo config interface mtu %s %d", r.name(x), want))
		r.expect = append(r.expect, dcb.Expect{Command: "show interfaces status", Form: "table", Where: []string{r.name(x), "MTU"}, Want: fmt.Sprint(want), Why: "room for the hosts' packets", By: cmdref})
	}
}

// vlans joins the ports: a port of SONiC that is in no VLAN routes, and carries nothing to the next port. Links without a tag share
// a VLAN of the switch's own, whose number leaves no port; SONiC does not take 1 for that.
func (r *render) vlans() {
	if len(r.ports) == 0 {
		return
	}
	tagged := map[int]bool{}
	plain := false
	for _, x := range r.ports {
		if x.VLAN > 0 {
			tagged[x.VLAN] = true
		} else {
			plain = true
		}
	}
	own := 2
	for tagged[own] {
		own++
	}
	if plain {
		r.apply.Add(cmdref, "links without a tag are one switched network; this number is the switch's own and leaves no port", fmt.Sprintf("sudo config vlan add %d", own))
	}
	for id := range 4095 {
		if tagged[id] {
			r.apply.Add(cmdref, "a VLAN of the plan", fmt.Sprintf("sudo config vlan add %d", id))
		}
	}
	for _, x := range r.ports {
		mode, id, flag, how, why := "access", own, "-u ", "untagged", "in the switch's own network"
		if x.VLAN > 0 {
			mode, id, flag, how, why = "trunk", x.VLAN, "", "tagged", "its link is tagged"
		}
		if r.version.AtLeast(202411) {
			r.apply.Add(cmdref, "a port that routes cannot be in a VLAN", fmt.Sprintf("sudo config switchport mode %s %s", mode, r.name(x)))
		}
		r.apply.Add(cmdref, why, fmt.Sprintf("sudo config vlan member add %s%d %s", flag, id, r.name(x)))
		r.expect = append(r.expect, dcb.Expect{Command: "show vlan config", Form: "lines", Want: fmt.Sprintf("Vlan%d %d %s %s", id, id, r.name(x), how), Why: why, By: cmdref})
	}
	if !r.version.AtLeast(202411) {
		r.d.Unverified = append(r.d.Unverified, "from about 202405 on a port has to leave the mode routed before it can be in a VLAN: if apply.sh stops there, `sudo config switchport mode access PORT` (trunk for tagged ones) and run it again")
	}
}
