package fault

import "fmt"

// duplicateAddress gives another host of the network the receiver's address. It has nothing that listens there, as most others would not.
var duplicateAddress = Fault{
	ID: "address-twice", Title: "another host of the network has the receiver's address", Cause: "duplicate-address", Kind: Live, Terrain: Near, Needs: []string{NeedsThird, NeedsSwitch},
	Parameters: []Parameter{{Name: "bits", Low: 24, High: 32}},
	Make: func(p *Place, v Values) {
		t, r, s := p.Third, p.Receiver, p.Sender
		own := fmt.Sprintf("%s/%.0f dev %s", r.Address, v["bits"], t.Interface)
		p.run(t.Host, "ip address add "+own, "ip address del "+own)
		// Which of two answers counts is a race. The receiver is silent, so that the other's does in every trial; nor does it ask for the sender,
		// which would tell that its own.
		p.sysctl(r.Host, "net/ipv4/conf/"+r.Interface+"/arp_ignore", "8")
		mac := p.ask(s.Host, "cat /sys/class/net/"+s.Interface+"/address")
		p.run(r.Host, fmt.Sprintf("ip neigh replace %s lladdr %s nud permanent dev %s", s.Address, mac, r.Interface), fmt.Sprintf("ip neigh del %s dev %s", s.Address, r.Interface))
		p.run(s.Host, "ip neigh flush dev "+s.Interface, "ip neigh flush dev "+s.Interface)
	},
}
