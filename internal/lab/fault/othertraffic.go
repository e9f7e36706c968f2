package fault

import "fmt"

// otherTraffic has another host send to the receiver's card at the same time.
var otherTraffic = Fault{
	ID: "other-traffic", Title: "another host that sends to the receiver meanwhile", Cause: "other-traffic", Kind: Live, Terrain: Near, Needs: []string{NeedsThird},
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.3, High: 0.7}},
	Make: func(p *Place, v Values) {
		t, r := p.Third, p.Receiver
		mac := p.ask(r.Host, "cat /sys/class/net/"+r.Interface+"/address")
		was := p.root(t.Host, t.Interface)
		p.run(t.Host, fmt.Sprintf("tc qdisc replace dev %s root tbf rate %s burst 64kb limit 500kb", t.Interface, bits(v["share"]*float64(p.Rate))), was)
		// To an address that nobody has, so that the receiver's kernel takes the datagrams and answers nothing.
		nobody := p.ask(t.Host, "echo "+r.Address+" | sed 's/[0-9]*$/251/'")
		neighbour := fmt.Sprintf("ip neigh replace %s lladdr %s nud permanent dev %s", nobody, mac, t.Interface)
		p.run(t.Host, neighbour, fmt.Sprintf("ip neigh del %s dev %s", nobody, t.Interface))
		pid := p.run(t.Host, fmt.Sprintf("setsid timeout 60 bash -c 'exec dd if=/dev/zero bs=1400 >/dev/udp/%s/9' 2>/dev/null </dev/null >/dev/null & echo $!", nobody), "")
		if p.Err == nil {
			p.undo(t.Host, fmt.Sprintf("kill -- -%[1]s 2>/dev/null || kill %[1]s 2>/dev/null || true", pid))
		}
	},
}
