package fault

import "fmt"

// firewallRules has the receiver look at every packet with thousands of rules, one after another.
var firewallRules = Fault{
	ID: "firewall-rules", Title: "thousands of firewall rules in a chain of the receiver", Cause: "firewall-cost", Kind: Live, Terrain: Fast,
	Parameters: []Parameter{{Name: "rules", Low: 2000, High: 6000}},
	Make: func(p *Place, v Values) {
		p.run(p.Receiver.Host, fmt.Sprintf(`{ printf 'table ip guard {\nchain in {\ntype filter hook input priority 0;\n'; for i in $(seq %.0f); do echo 'ip saddr 192.0.2.7 accept'; done; printf '}\n}\n'; } | nft -f -`, v["rules"]),
			"nft delete table ip guard")
	},
}

// firewallOutput has the sender do so with every packet that leaves.
var firewallOutput = Fault{
	ID: "firewall-output", Title: "thousands of firewall rules in a chain of the sender", Cause: "firewall-cost", Kind: Live, Terrain: Fast,
	Parameters: []Parameter{{Name: "rules", Low: 3000, High: 8000}},
	Make: func(p *Place, v Values) {
		p.run(p.Sender.Host, fmt.Sprintf(`{ printf 'table ip guard {\nchain out {\ntype filter hook output priority 0;\n'; for i in $(seq %.0f); do echo 'ip daddr 192.0.2.7 accept'; done; printf '}\n}\n'; } | nft -f -`, v["rules"]),
			"nft delete table ip guard")
	},
}
