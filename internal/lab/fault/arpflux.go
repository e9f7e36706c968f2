package fault

import "fmt"

// arpFlux gives the receiver a second, slower port on the same switch, which answers for the address of the first.
var arpFlux = Fault{
	ID: "arp-flux", Title: "another port of the receiver on the same switch answers for its address", Cause: "arp-flux", Kind: Live, Terrain: Near, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.1, High: 0.5}},
	Make: func(p *Place, v Values) {
		r := p.Receiver
		// A process of the switch's namespace names it to the receiver's ip.
		pid := p.run(p.Switch, "setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $!", "")
		if p.Err != nil {
			return
		}
		p.undo(p.Switch, "kill "+pid)
		p.run(r.Host, fmt.Sprintf("ip link add aux mtu %d type veth peer name %s.aux mtu %[1]d && ip link set %[2]s.aux netns %s && ip link set aux up", p.MTU, p.Bridge, pid), "ip link del aux")
		p.run(p.Switch, fmt.Sprintf("ip link set %[1]s.aux master %[1]s up && tc qdisc replace dev %[1]s.aux root tbf rate %[2]s burst 64kb limit 500kb", p.Bridge, bits(v["share"]*float64(p.Rate))), "")
		for _, dev := range []string{"all", "aux"} { // the kernel's default: a host answers for all of its addresses everywhere
			p.sysctl(r.Host, "net/ipv4/conf/"+dev+"/arp_ignore", "0")
		}
		p.sysctl(r.Host, "net/ipv4/conf/all/rp_filter", "0")
		p.sysctl(r.Host, "net/ipv4/conf/aux/rp_filter", "0")
		// Which of two answers counts is a race. The planned port is silent, so that the other's does in every trial.
		p.sysctl(r.Host, "net/ipv4/conf/"+r.Interface+"/arp_ignore", "8")
		// Nor does the receiver ask for the sender, which would tell it the planned port's address.
		mac := p.ask(p.Sender.Host, "cat /sys/class/net/"+p.Sender.Interface+"/address")
		p.run(r.Host, fmt.Sprintf("ip neigh replace %s lladdr %s nud permanent dev %s", p.Sender.Address, mac, r.Interface), fmt.Sprintf("ip neigh del %s dev %s", p.Sender.Address, r.Interface))
		p.run(p.Sender.Host, "ip neigh flush dev "+p.Sender.Interface, "ip neigh flush dev "+p.Sender.Interface)
	},
}
