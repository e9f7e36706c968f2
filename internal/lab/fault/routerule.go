package fault

import "fmt"

// ruleWrongNIC has a policy rule choose a table whose route goes through the slow network.
var ruleWrongNIC = Fault{
	ID: "rule-wrong-nic", Title: "a policy rule that sends the traffic through another interface", Cause: "wrong-nic", Kind: Live, Terrain: Near, Needs: []string{NeedsOther},
	Parameters: []Parameter{{Name: "table", Low: 100, High: 250}},
	Make: func(p *Place, v Values) {
		s, r := p.Sender, p.Receiver
		p.run(s.Host, fmt.Sprintf("ip route add default via %s dev %s table %.0f", r.OtherAddress, s.OtherInterface, v["table"]), fmt.Sprintf("ip route flush table %.0f", v["table"]))
		rule := fmt.Sprintf("to %s/32 lookup %.0f", r.Address, v["table"])
		p.run(s.Host, "ip rule add "+rule, "ip rule del "+rule)
	},
}

// metricWrongNIC gives the subnet a route through the slow network that is preferred.
var metricWrongNIC = Fault{
	ID: "metric-wrong-nic", Title: "a route over another interface with a better metric", Cause: "wrong-nic", Kind: Live, Terrain: Near, Needs: []string{NeedsOther},
	Parameters: []Parameter{{Name: "metric", Low: 100, High: 1000}},
	Make: func(p *Place, v Values) {
		s, r := p.Sender, p.Receiver
		own := fmt.Sprintf("%s dev %s proto kernel scope link src %s", s.Prefix, s.Interface, s.Address)
		p.run(s.Host, fmt.Sprintf("ip route add %[1]s metric %.0[2]f && ip route del %[1]s metric 0", own, v["metric"]), fmt.Sprintf("ip route add %[1]s && ip route del %[1]s metric %.0[2]f", own, v["metric"]))
		other := fmt.Sprintf("%s via %s dev %s metric %.0f", s.Prefix, r.OtherAddress, s.OtherInterface, v["metric"]/2)
		p.run(s.Host, "ip route add "+other, "ip route del "+other)
	},
}
