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
