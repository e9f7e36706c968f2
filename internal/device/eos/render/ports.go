package render

import (
	"fmt"
	"strings"

	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
	"linerate/internal/device/eos"
)

// port configures one port.
func (r *render) port(x dcb.Port) {
	name := r.name(x)
	in := func(by config.Source, why, text string) { r.Apply.Add(by, why, "   "+text) }
	r.Apply.Add(avdPorts, "link "+config.Plain(x.Link), "interface "+name)
	if x.MTU > 1500 && x.MTU <= eos.MTU {
		in(avdPorts, fmt.Sprintf("room for the hosts' MTU of %d; a switched port has it by default", x.MTU),
			fmt.Sprintf("mtu %d", eos.MTU))
		r.ExpectLine(capPorts, "show interfaces "+name, "room for the hosts' packets",
			fmt.Sprintf("Ethernet MTU %d bytes", eos.MTU))
	}
	if x.VLAN > 0 {
		why := fmt.Sprintf("the link is tagged with VLAN %d", x.VLAN)
		in(avdPorts, why, "switchport mode trunk")
		in(avdPorts, why, fmt.Sprintf("switchport trunk allowed vlan %d", x.VLAN))
	}
	if r.QoS == nil {
		return
	}
	switch r.QoS.Trust {
	case "dscp", "pcp":
		word := map[string]string{"dscp": "dscp", "pcp": "cos"}[r.QoS.Trust]
		in(avdPorts, "packets are sorted into classes by "+r.QoS.Trust, "qos trust "+word)
		r.ExpectAt(blog, "", "show qos interfaces "+name+" trust", "what sorts packets",
			"the operational trust mode is "+word)
	default:
		in(avdPorts, "packets are sorted by the port alone", "no qos trust")
	}
	if r.queue != "" {
		in(avdPorts, "shares of the link and marking", "service-profile "+profile)
	}
	if lossless := r.QoS.Lossless(); len(lossless) > 0 {
		in(avdPorts, "PFC on this port", "priority-flow-control on")
		for _, p := range lossless {
			in(avdPorts, r.LosslessWhy(p), fmt.Sprintf("priority-flow-control priority %d no-drop", p))
		}
		r.ExpectLine(capPFC, "show priority-flow-control",
			"PFC is enabled; the letter A next to it: and active, the column Priorities: "+config.Numbers(lossless, ","),
			strings.Replace(name, "Ethernet", "Et", 1)+" E") // tables have the short name
	}
	if r.QoS.DCBX == "switch" {
		in(azure, "dcbx: switch: the switch announces the classes", "dcbx mode ieee")
	}
}
