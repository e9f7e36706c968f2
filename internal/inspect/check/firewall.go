package check

import (
	"fmt"

	"linerate/internal/record"
)

// manyRules is how many rules in a row a packet may meet before it is worth a line. Measured in the lab: 3000 linear rules
// left 320 Mb/s, with 31 to 49 % of a core in soft interrupts and nothing dropped; a tenth of that is felt at tens of Gb/s.
const manyRules = 300

var checkFirewall = Check{
	ID:     "firewall-cost",
	Title:  "firewall rules that each packet passes",
	Why:    "rules are asked one after another, for every packet: thousands of them cost more than everything else that is done for it",
	Worst:  record.Error,
	Source: "measured in the lab: 320 Mb/s through 3000 rules; nft(8)",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			rules, known := h.Facts.Firewall.Get()
			if !known && (h.Plan == nil || h.system() == "windows") {
				continue // nobody looks for it in a few outputs that somebody kept
			}
			if !known {
				if h.Plan != nil { // nobody looks for a firewall in what a switch says, or in one command's output
					r.notKnown(h.Name+": firewall rules", "%s", h.Facts.Firewall.Why())
				}
				continue
			}
			if most := rules.Most(); most.Rules >= manyRules {
				f := record.Finding{
					Severity: record.Warning, Subject: h.Name + ": firewall",
					Have: fmt.Sprintf("%d rules in the chain %s", most.Rules, most.Name()), Want: fmt.Sprintf("fewer than %d in a row", manyRules),
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: "nft list ruleset", Line: fmt.Sprintf("chain %s: hook %s, %d rules", most.Name(), most.Hook, most.Rules)}},
					Consequence: "each packet of this hook meets them one after another until one matches",
					Fix:         "a rule for established connections first (ct state established,related accept), and addresses and ports in sets (nft add set ..)",
				}
				if most.Rules >= 10*manyRules {
					f.Severity = record.Error
				}
				r.found(f, h.Name)
			}
		}
	},
}
