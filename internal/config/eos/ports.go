package eos

import (
	"fmt"
	"slices"

	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// switchedMTU is what a switched port of EOS carries.
var switchedMTU = plan.SystemOf("eos").MTU

func (r *render) vlans() {
	var ids []int
	for _, x := range r.ports {
		if x.VLAN > 0 && !slices.Contains(ids, x.VLAN) {
			ids = append(ids, x.VLAN)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		r.apply.Add(avdPorts, "a VLAN of the plan", fmt.Sprintf("vlan %d", id))
	}
}

// port is all of one port.
func (r *render) port(x dcb.Port) {
	name := r.name(x)
	in := func(by device.Source, why, text string) { r.apply.Add(by, why, "   "+text) }
	r.apply.Add(avdPorts, "link "+device.Plain(x.Link), "interface "+name)
	if x.MTU > 1500 && x.MTU <= switchedMTU {
		in(avdPorts, fmt.Sprintf("room for the hosts' MTU of %d; a switched port has it by default", x.MTU), fmt.Sprintf("mtu %d", switchedMTU))
		r.expect = append(r.expect, dcb.Expect{Command: "show interfaces " + name, Form: "lines", Want: fmt.Sprintf("Ethernet MTU %d bytes", switchedMTU), Why: "room for the hosts' packets", By: capPorts})
	}
	if x.VLAN > 0 {
		why := fmt.Sprintf("the link is tagged with VLAN %d", x.VLAN)
		in(avdPorts, why, "switchport mode trunk")
		in(avdPorts, why, fmt.Sprintf("switchport trunk allowed vlan %d", x.VLAN))
	}
	if r.q == nil {
		return
	}
	switch r.q.Trust {
	case "dscp", "pcp":
		word := map[string]string{"dscp": "dscp", "pcp": "cos"}[r.q.Trust]
		in(avdPorts, "packets are sorted into classes by "+r.q.Trust, "qos trust "+word)
		r.expect = append(r.expect, dcb.Expect{Command: "show qos interfaces " + name + " trust", Want: "the operational trust mode is " + word, Why: "what sorts packets", By: blog})
	default:
		in(avdPorts, "packets are sorted by the port alone", "no qos trust")
	}
	if r.queue != "" {
		in(avdPorts, "shares of the link and marking", "service-profile "+profile)
	}
	if lossless := r.q.Lossless(); len(lossless) > 0 {
		in(avdPorts, "PFC on this port", "priority-flow-control on")
		for _, p := range lossless {
			in(avdPorts, fmt.Sprintf("class %s is lossless", device.Plain(r.q.Class(p).Name)), fmt.Sprintf("priority-flow-control priority %d no-drop", p))
		}
		r.expect = append(r.expect, dcb.Expect{Command: "show priority-flow-control", Form: "lines", Want: short(name) + " E", Why: "PFC is enabled; the letter A beside it: and active, the column Priorities: " + device.Numbers(lossless, ","), By: capPFC})
	}
	if r.q.DCBX == "switch" {
		in(azure, "dcbx: switch: the switch announces the classes", "dcbx mode ieee")
	}
}

// short is a port's name as tables have it: Et1/1.
func short(name string) string {
	const long = "Ethernet"
	if len(name) > len(long) && name[:len(long)] == long {
		return "Et" + name[len(long):]
	}
	return name
}
