package fault

import "fmt"

// firewallRules has the receiver look at every packet with thousands of rules, one after another.
var firewallRules = Fault{
	ID: "firewall-rules", Title: "thousands of firewall rules in a chain of the receiver", Cause: "firewall-cost", Kind: Live, Terrain: Fast,
	Parameters: []Parameter{{Name: "rules", Low: 2000, High: 6000}},
	Make:       func(p *Place, v Values) { p.rules(p.Receiver.Host, "input", "saddr", v["rules"]) },
}

// firewallOutput has the sender do so with every packet that leaves.
var firewallOutput = Fault{
	ID: "firewall-output", Title: "thousands of firewall rules in a chain of the sender", Cause: "firewall-cost", Kind: Live, Terrain: Fast,
	Parameters: []Parameter{{Name: "rules", Low: 3000, High: 8000}},
	Make:       func(p *Place, v Values) { p.rules(p.Sender.Host, "output", "daddr", v["rules"]) },
}

// rules hangs so many of them into a hook of a host; none of them ever matches.
func (p *Place) rules(host, hook, field string, n float64) {
	p.run(host, fmt.Sprintf(`{ printf 'table ip guard {\nchain c {\ntype filter hook %s priority 0;\n'; for i in $(seq %.0f); do echo 'ip %s 192.0.2.7 accept'; done; printf '}\n}\n'; } | nft -f -`, hook, n, field),
		"nft delete table ip guard")
}
