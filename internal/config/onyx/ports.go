package onyx

import (
	"fmt"

	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
)

// An MTU of Onyx is of the packet: with 1500 the switch carries frames up to 1522 bytes (its own answer to show
// interfaces ethernet). The most that it takes is the plan's to know.
const (
	defaultMTU = 1500
	usualMTU   = 9216
)

// portMTU is what a port is set to for hosts with that MTU, 0 if its default is enough.
func portMTU(host int) int {
	switch {
	case host <= defaultMTU:
		return 0
	case host <= usualMTU:
		return usualMTU
	}
	return host
}

func (r *render) mtu() {
	for _, run := range dcb.Runs(r.ports, func(a, b dcb.Port) bool { return a.MTU == b.MTU }) {
		want := portMTU(run[0].MTU)
		if want == 0 {
			continue
		}
		at := "ethernet " + name(run[0])
		if run[0].Index != run[1].Index {
			at += "-" + name(run[1])
		}
		r.apply.Add(modInterface, fmt.Sprintf("room for the hosts' MTU of %d: larger packets are dropped", run[0].MTU), fmt.Sprintf("interface %s mtu %d force", at, want))
		r.undo.Add(modInterface, "the default MTU", fmt.Sprintf("interface %s mtu %d force", at, defaultMTU))
		r.expect = append(r.expect, dcb.Expect{Command: "show interfaces ethernet " + name(run[0]), Form: "lines",
			Want: fmt.Sprintf("MTU : %d bytes (Maximum packet size %d bytes)", want, want+22), Why: "room for the hosts' packets", By: capturePorts})
	}
}

func (r *render) vlans() {
	done := map[int]bool{}
	for _, x := range r.ports {
		if x.VLAN == 0 {
			continue
		}
		if !done[x.VLAN] {
			done[x.VLAN] = true
			r.apply.Add(modVLAN, fmt.Sprintf("VLAN %d of link %s", x.VLAN, device.Plain(x.Link)), fmt.Sprintf("vlan %d", x.VLAN))
			r.apply.Add(modVLAN, "back to the configuration mode", "exit")
		}
		at := "interface ethernet " + name(x) + " "
		why := fmt.Sprintf("link %s is tagged with VLAN %d", device.Plain(x.Link), x.VLAN)
		r.apply.Add(modVLAN, why, at+"switchport mode trunk")
		r.apply.Add(intelMFD, why, at+fmt.Sprintf("switchport trunk allowed-vlan %d", x.VLAN))
		r.undo.Add(modVLAN, "the default: untagged, VLAN 1", at+"switchport mode access")
		// The JSON of this command changed with 3.6.6000, and its later form was not seen.
		for _, e := range [][2]string{{"Mode", "trunk"}, {"Allowed vlans", fmt.Sprint(x.VLAN)}} {
			one := dcb.Expect{Command: "show interfaces switchport", Want: "Eth" + name(x) + ", " + e[0] + ": " + e[1], Why: why, By: fixtureAccess}
			if dcb.VersionOf(r.s).Before(newJSON...) {
				one.Form, one.Where, one.Want = "json", []string{"Eth" + name(x), e[0]}, e[1]
			}
			r.expect = append(r.expect, one)
		}
	}
	for id := range 4095 {
		if done[id] {
			r.undo.Add(modVLAN, "a VLAN of the plan", fmt.Sprintf("no vlan %d", id))
		}
	}
}

// lanes names the ports that have to be divided first.
func (r *render) lanes() {
	last := 0
	for _, x := range r.ports {
		if x.Lane == 0 || x.Index == last {
			continue
		}
		last = x.Index
		r.d.Manual = append(r.d.Manual, device.Line{
			Text: fmt.Sprintf("Divide port 1/%d into lanes: its links name lanes of a breakout cable, which are 1/%d/1 and on once the port is divided.", x.Index, x.Index),
			Why:  "dividing unmaps the port and on some models the one below it, and asks for a confirmation; its form was not found in a manual (others write: module-type qsfp-split-4)",
		})
	}
}
