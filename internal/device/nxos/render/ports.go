package render

import (
	"fmt"

	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
	"linerate/internal/device/nxos"
)

// standardMTU is the MTU that a port has by default.
const standardMTU = 1500

// announced ends the command for PFC if the switch announces it. The command that undoes it does not have it.
const announced = " send-tlv"

// port configures one port.
func (r *render) port(x dcb.Port) {
	name := r.name(x)
	in := func(by config.Source, why, text string) { r.Apply.Add(by, why, "  "+text) }
	r.Apply.Add(azurePorts, "link "+config.Plain(x.Link), "interface "+name)
	if x.VLAN > 0 {
		why := fmt.Sprintf("the link is tagged with VLAN %d", x.VLAN)
		in(azurePorts, why, "switchport mode trunk")
		in(azurePorts, why, fmt.Sprintf("switchport trunk allowed vlan %d", x.VLAN))
		r.ExpectLine(answerVLAN, "show interface "+name+" switchport", why, fmt.Sprintf("Trunking VLANs Allowed: %d", x.VLAN))
	}
	if x.MTU > standardMTU && x.MTU <= nxos.MTU {
		in(azurePorts, fmt.Sprintf("room for the hosts' MTU of %d: larger packets are dropped", x.MTU),
			fmt.Sprintf("mtu %d", nxos.MTU))
		r.ExpectLine(answerPort, "show interface "+name, "room for the hosts' packets", fmt.Sprintf("MTU %d bytes", nxos.MTU))
	}
	if r.QoS == nil {
		return
	}
	in(azurePorts, "packets are sorted into classes by "+r.QoS.Trust, "service-policy type qos input "+classPolicy)
	if len(r.QoS.Lossless()) > 0 {
		r.pfc(x, name, in)
	}
}

// pfc pauses the lossless classes of a port, whatever its neighbour announces.
func (r *render) pfc(x dcb.Port, name string, in func(by config.Source, why, text string)) {
	lossless := r.QoS.Lossless()
	mode, why := "priority-flow-control mode on", "PFC on this port, whatever its neighbour announces"
	if r.QoS.DCBX == "switch" {
		mode, why = mode+announced, "PFC on this port; dcbx: switch: the switch announces it by LLDP"
	}
	in(azurePorts, why, mode)
	if x.Switch {
		in(script, "a port that stays paused is found, and its packets are dropped", "priority-flow-control "+
			"watch-dog-interval on")
	}
	bits := 0
	for _, p := range lossless {
		bits |= 1 << p
	}
	want := name + " On On"
	if bits < 10 { // equal in decimal and hexadecimal; no document says which it is
		want = fmt.Sprintf("%s On On (%d)", name, bits)
	}
	r.ExpectLine(answerPFC, "show interface priority-flow-control",
		"PFC is on; in brackets a bit for each lossless priority: "+config.Numbers(lossless, ","), want)
}
