package fault

import (
	"fmt"
	"strings"
)

// routeWrongNIC routes traffic to the receiver's fast address through the slow network.
var routeWrongNIC = Fault{ID: "route-wrong-nic", Title: "a route to the receiver over another interface",
	Cause: "wrong-nic", Scenario: Near, Needs: []string{NeedsOther},
	Make: func(p *Place, _ Values) {
		route := fmt.Sprintf("%s/32 via %s dev %s", p.Receiver.Address, p.Receiver.OtherAddress, p.Sender.OtherInterface)
		p.run(p.Sender.Host, "ip route add "+route, "ip route del "+route)
	}}

// ruleWrongNIC adds a policy rule that selects a table with a route through the slow network.
var ruleWrongNIC = Fault{ID: "rule-wrong-nic", Title: "a policy rule that sends the traffic through another interface",
	Cause: "wrong-nic", Scenario: Near, Needs: []string{NeedsOther},
	Parameters: []Parameter{{Name: "table", Low: 100, High: 250}},
	Make: func(p *Place, v Values) {
		s, r := p.Sender, p.Receiver
		p.run(s.Host,
			fmt.Sprintf("ip route add default via %s dev %s table %.0f", r.OtherAddress, s.OtherInterface, v["table"]),
			fmt.Sprintf("ip route flush table %.0f", v["table"]))
		rule := fmt.Sprintf("to %s/32 lookup %.0f", r.Address, v["table"])
		p.run(s.Host, "ip rule add "+rule, "ip rule del "+rule)
	}}

// metricWrongNIC gives the subnet a route through the slow network that is preferred.
var metricWrongNIC = Fault{ID: "metric-wrong-nic", Title: "a route over another interface with a better metric",
	Cause: "wrong-nic", Scenario: Near, Needs: []string{NeedsOther},
	Parameters: []Parameter{{Name: "metric", Low: 100, High: 1000}},
	Make: func(p *Place, v Values) {
		s, r := p.Sender, p.Receiver
		own := fmt.Sprintf("%s dev %s proto kernel scope link src %s", s.Prefix, s.Interface, s.Address)
		p.run(s.Host, fmt.Sprintf("ip route add %[1]s metric %.0[2]f && ip route del %[1]s metric 0", own, v["metric"]),
			fmt.Sprintf("ip route add %[1]s && ip route del %[1]s metric %.0[2]f", own, v["metric"]))
		other := fmt.Sprintf("%s via %s dev %s metric %.0f", s.Prefix, r.OtherAddress, s.OtherInterface, v["metric"]/2)
		p.run(s.Host, "ip route add "+other, "ip route del "+other)
	}}

// arpFlux gives the receiver a second, slower port on the same switch, which answers for the address of the first.
var arpFlux = Fault{ID: "arp-flux", Title: "another port of the receiver on the same switch answers for its address",
	Cause: "arp-flux", Scenario: Near, Needs: []string{NeedsSwitch}, Parameters: []Parameter{shareOf(0.1, 0.5)},
	Make: func(p *Place, v Values) {
		r := p.Receiver
		// By a process in the switch's namespace, the receiver's ip can refer to it.
		pid := p.run(p.Switch, "setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $!", "")
		if p.Err != nil {
			return
		}
		p.undo(p.Switch, "kill "+pid)
		p.run(r.Host, fmt.Sprintf(
			"ip link add aux mtu %d type veth peer name %s.aux mtu %[1]d && ip link set %[2]s.aux netns %s && ip link set "+
				"aux up", p.MTU, p.Bridge, pid), "ip link del aux")
		p.run(p.Switch, fmt.Sprintf(
			"ip link set %[1]s.aux master %[1]s up && tc qdisc replace dev %[1]s.aux root tbf rate %[2]s burst 64kb limit "+
				"500kb", p.Bridge, bits(v["share"]*float64(p.Rate))), "")
		// The kernel's default: a host answers for all of its addresses on every interface.
		for _, dev := range []string{"all", "aux"} {
			p.sysctl(r.Host, "net/ipv4/conf/"+dev+"/arp_ignore", "0")
		}
		p.sysctl(r.Host, "net/ipv4/conf/all/rp_filter", "0")
		p.sysctl(r.Host, "net/ipv4/conf/aux/rp_filter", "0")
		p.silence()
	}}

// duplicateAddress gives another host of the network the receiver's address. Nothing listens there, as on most hosts.
var duplicateAddress = Fault{ID: "address-twice", Title: "another host of the network has the receiver's address",
	Cause: "duplicate-address", Scenario: Near, Needs: []string{NeedsThird, NeedsSwitch},
	Parameters: []Parameter{{Name: "bits", Low: 24, High: 32}},
	Make: func(p *Place, v Values) {
		t, r := p.Third, p.Receiver
		own := fmt.Sprintf("%s/%.0f dev %s", r.Address, v["bits"], t.Interface)
		p.run(t.Host, "ip address add "+own, "ip address del "+own)
		p.silence()
	}}

// silence makes the receiver's planned port neither answer for its address nor request the sender's: two answers are a
// race, and the other one must win in every trial.
func (p *Place) silence() {
	r, s := p.Receiver, p.Sender
	p.sysctl(r.Host, "net/ipv4/conf/"+r.Interface+"/arp_ignore", "8")
	mac := p.ask(s.Host, "cat /sys/class/net/"+s.Interface+"/address")
	p.run(r.Host, fmt.Sprintf("ip neigh replace %s lladdr %s nud permanent dev %s", s.Address, mac, r.Interface),
		fmt.Sprintf("ip neigh del %s dev %s", s.Address, r.Interface))
	p.run(s.Host, "ip neigh flush dev "+s.Interface, "ip neigh flush dev "+s.Interface)
}

// duplicateSubnet gives the sender's slow interface an address of the fast subnet, whose route comes first.
var duplicateSubnet = Fault{ID: "duplicate-subnet", Title: "two interfaces of the sender in one subnet",
	Cause: "duplicate-subnet", Scenario: Near, Needs: []string{NeedsOther},
	Parameters: []Parameter{{Name: "host", Low: 100, High: 250}},
	Make: func(p *Place, v Values) {
		s := p.Sender
		bits := s.Prefix[strings.Index(s.Prefix, "/"):]
		extra := fmt.Sprintf("%s.%.0f%s", s.Address[:strings.LastIndex(s.Address, ".")], v["host"], bits)
		own := s.Address + bits
		// The kernel's default: a host answers for all of its addresses on every interface.
		for _, dev := range []string{"all", p.Receiver.OtherInterface} {
			p.sysctl(p.Receiver.Host, "net/ipv4/conf/"+dev+"/arp_ignore", "0")
		}
		// After the address of the fast interface is added again, its route follows the other's.
		p.run(s.Host, fmt.Sprintf("ip address add %s dev %s && ip address del %s dev %s && ip address add %s dev %s", extra,
			s.OtherInterface, own, s.Interface, own, s.Interface),
			fmt.Sprintf("ip address del %s dev %s", extra, s.OtherInterface))
	}}

// overlay routes the data through a tunnel (VXLAN) between both ends, on the planned link.
var overlay = Fault{ID: "tunnel-route", Title: "the route to the receiver leads into a tunnel", Cause: "overlay",
	Scenario: Near, Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1280, High: 1450}},
	Make: func(p *Place, v Values) {
		mac := func(e End) string {
			if e.Host == p.Sender.Host {
				return "06:00:00:00:00:01"
			}
			return "06:00:00:00:00:02"
		}
		for _, e := range [][2]End{{p.Sender, p.Receiver}, {p.Receiver, p.Sender}} {
			own, peer := e[0], e[1]
			// The tunnel's own packets arrive where no route leads to their sender.
			for _, dev := range []string{"all", own.Interface} {
				p.sysctl(own.Host, "net/ipv4/conf/"+dev+"/rp_filter", "0")
			}
			// Without a device the route to the peer would lead the tunnel's own packets into the tunnel; learned entries have
			// none.
			p.run(own.Host, fmt.Sprintf(
				"ip link add vxlan0 address %s mtu %.0f type vxlan id 42 local %s remote %s dev %s dstport 4789 nolearning && "+
					"ip link set vxlan0 up && ip neigh replace %[4]s lladdr %[6]s nud permanent dev vxlan0 && ip route add "+
					"%[4]s/32 dev vxlan0 src %[3]s", mac(own), v["mtu"], own.Address, peer.Address, own.Interface, mac(peer)),
				"ip link del vxlan0")
		}
	}}

// otherTraffic makes another host send to the receiver's NIC at the same time.
var otherTraffic = Fault{ID: "other-traffic", Title: "another host that sends to the receiver meanwhile",
	Cause: "other-traffic", Scenario: Near, Needs: []string{NeedsThird}, Parameters: []Parameter{shareOf(0.3, 0.7)},
	Make: func(p *Place, v Values) {
		t, r := p.Third, p.Receiver
		mac := p.ask(r.Host, "cat /sys/class/net/"+r.Interface+"/address")
		was := p.root(t.Host, t.Interface)
		p.run(t.Host, fmt.Sprintf("tc qdisc replace dev %s root tbf rate %s burst 64kb limit 500kb", t.Interface,
			bits(v["share"]*float64(p.Rate))), was)
		// The address is unused, so that the receiver's kernel accepts the datagrams without an answer.
		nobody := p.ask(t.Host, "echo "+r.Address+" | sed 's/[0-9]*$/251/'")
		neighbour := fmt.Sprintf("ip neigh replace %s lladdr %s nud permanent dev %s", nobody, mac, t.Interface)
		p.run(t.Host, neighbour, fmt.Sprintf("ip neigh del %s dev %s", nobody, t.Interface))
		pid := p.run(t.Host, fmt.Sprintf(
			"setsid timeout 60 bash -c 'exec dd if=/dev/zero bs=1400 >/dev/udp/%s/9' 2>/dev/null </dev/null >/dev/null & "+
				"echo $!", nobody), "")
		if p.Err == nil {
			p.undo(t.Host, fmt.Sprintf("kill -- -%[1]s 2>/dev/null || kill %[1]s 2>/dev/null || true", pid))
		}
	}}
