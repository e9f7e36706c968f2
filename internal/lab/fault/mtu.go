package fault

import "fmt"

// mtuSender leaves jumbo frames only to the receiver.
var mtuSender = Fault{ID: "mtu-sender", Title: "MTU 1500 at the sender, where jumbo frames are planned",
	Cause: "mtu-one-sided", Scenario: Jumbo, Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1280, High: 1500}},
	Make: func(p *Place, v Values) { p.mtu(p.Sender.Host, p.Sender.Interface, v["mtu"]) }}

// mtuReceiver leaves jumbo frames only to the sender.
var mtuReceiver = Fault{ID: "mtu-receiver", Title: "MTU 1500 at the receiver, where jumbo frames are planned",
	Cause: "mtu-one-sided", Scenario: Jumbo, Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1280, High: 1500}},
	Make: func(p *Place, v Values) { p.mtu(p.Receiver.Host, p.Receiver.Interface, v["mtu"]) }}

// mtu sets the MTU of an interface.
func (p *Place) mtu(host, dev string, mtu float64) {
	was := p.ask(host, "cat /sys/class/net/"+dev+"/mtu")
	p.run(host, fmt.Sprintf("ip link set %s mtu %.0f", dev, mtu), fmt.Sprintf("ip link set %s mtu %s", dev, was))
}

// mtuSwitch gives a switch port between two ends with jumbo frames a small MTU, at which it drops them silently. The
// link before it segments super-packets, because a bridge would forward those of any MTU.
var mtuSwitch = Fault{ID: "mtu-switch", Title: "a small MTU on the switch's port between two ends with jumbo frames",
	Cause: "mtu-black-hole", Scenario: Jumbo, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1400, High: 1500}},
	Make: func(p *Place, v Values) {
		p.mtu(p.Switch, p.Receiver.Port, v["mtu"])
		p.Wire("--seed", "1")
	}}

// mtuSwitchProbing is mtuSwitch with a sender that probes for the largest segment that arrives.
var mtuSwitchProbing = Fault{ID: "mtu-switch-probing",
	Title: "the same MTU on the switch, between two ends that probe for it (tcp_mtu_probing)", Cause: "mtu-black-hole",
	Scenario: Jumbo, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1400, High: 1500}},
	Make: func(p *Place, v Values) {
		for _, host := range []string{p.Sender.Host, p.Receiver.Host} {
			p.sysctl(host, "net.ipv4.tcp_mtu_probing", "1")
		}
		mtuSwitch.Make(p, v)
	}}

// routeSegment adds a route at the receiver that makes its peers send small segments.
var routeSegment = Fault{ID: "route-segment", Title: "a route at the receiver that announces a small segment size",
	Cause: "small-segments", Scenario: Near, Parameters: []Parameter{{Name: "size", Unit: "B", Low: 400, High: 700}},
	Make: func(p *Place, v Values) {
		r := p.Receiver
		p.run(r.Host,
			fmt.Sprintf("ip route add %s/32 dev %s src %s advmss %.0f", p.Sender.Address, r.Interface, r.Address, v["size"]),
			fmt.Sprintf("ip route del %s/32 dev %s", p.Sender.Address, r.Interface))
	}}
