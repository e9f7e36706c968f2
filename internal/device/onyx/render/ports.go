package render

import (
	"fmt"

	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
)

// MTUs of Onyx include the packet only: with 1500 the switch carries frames up to 1522 bytes (according to show
// interfaces ethernet). The plan compares with the largest supported one.
const (
	defaultMTU = 1500
	usualMTU   = 9216
)

// portMTU returns the MTU of a port for hosts with an MTU; 0: the default is enough.
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
	for _, run := range dcb.Runs(r.Ports, func(a, b dcb.Port) bool { return a.MTU == b.MTU }) {
		want := portMTU(run[0].MTU)
		if want == 0 {
			continue
		}
		at := rangeName(run)
		r.Apply.Add(modInterface, fmt.Sprintf("room for the hosts' MTU of %d: larger packets are dropped", run[0].MTU),
			fmt.Sprintf("interface %s mtu %d force", at, want))
		r.undo.Add(modInterface, "the default MTU", fmt.Sprintf("interface %s mtu %d force", at, defaultMTU))
		r.ExpectLine(snapshotPorts, "show interfaces ethernet "+name(run[0]), "room for the hosts' packets",
			fmt.Sprintf("MTU : %d bytes (Maximum packet size %d bytes)", want, want+22))
	}
}

func (r *render) vlans() {
	done := map[int]bool{}
	for _, x := range r.Ports {
		if x.VLAN == 0 {
			continue
		}
		if !done[x.VLAN] {
			done[x.VLAN] = true
			r.Apply.Add(modVLAN, fmt.Sprintf("VLAN %d of link %s", x.VLAN, config.Plain(x.Link)), fmt.Sprintf("vlan %d", x.VLAN))
			r.Apply.Add(modVLAN, "back to the configuration mode", "exit")
		}
		at := "interface ethernet " + name(x) + " "
		why := fmt.Sprintf("link %s is tagged with VLAN %d", config.Plain(x.Link), x.VLAN)
		r.Apply.Add(modVLAN, why, at+"switchport mode trunk")
		r.Apply.Add(intelMFD, why, at+fmt.Sprintf("switchport trunk allowed-vlan %d", x.VLAN))
		r.undo.Add(modVLAN, "the default: untagged, VLAN 1", at+"switchport mode access")
		// The JSON of this command changed with 3.6.6000, and its later form is not known.
		for _, e := range [][2]string{{"Mode", "trunk"}, {"Allowed vlans", fmt.Sprint(x.VLAN)}} {
			one := dcb.Expect{Command: "show interfaces switchport", Want: "Eth" + name(x) + ", " + e[0] + ": " + e[1],
				Why: why, By: fixtureAccess}
			if dcb.VersionOf(r.Switch).Before(newJSON...) {
				one.Form, one.Where, one.Want = "json", []string{"Eth" + name(x), e[0]}, e[1]
			}
			r.Expect = append(r.Expect, one)
		}
	}
	for _, id := range r.VLANs() {
		r.undo.Add(modVLAN, "a VLAN of the plan", fmt.Sprintf("no vlan %d", id))
	}
}

// lanes lists the ports that have to be divided first.
func (r *render) lanes() {
	for _, x := range r.Divided() {
		r.Device.Manual = append(r.Device.Manual, config.Line{
			Text: fmt.Sprintf("Divide port 1/%d into lanes: its links name lanes of a breakout cable, which are 1/%d/1 and "+
				"on once the port is divided.", x.Index, x.Index),
			Why: "dividing unmaps the port and on some models the one below it, and asks for a confirmation; its form was " +
				"not found in a manual (others write: module-type qsfp-split-4)",
		})
	}
}
