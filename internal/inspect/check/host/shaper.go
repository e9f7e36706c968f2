package host

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Shaper checks for shapers on outgoing traffic.
var Shaper = check.Check{
	ID:     "local-shaper",
	Title:  "shapers on the way out",
	Why:    "a limit that was set for a test, or for a slower line, stays until somebody takes it away",
	Worst:  record.Error,
	Source: "tc(8)",
	Look: func(w *check.World, r *check.Report) {
		for p := range w.Ports() {
			h := p.Host
			if p.Nic.Qdiscs == nil && h.Traits().Ifconfig {
				r.NotKnown(h.Name+": shapers", "those of FreeBSD (dummynet, ALTQ) are not read")
				continue
			}
			if h.Traits().PowerShell {
				continue // it has none
			}
			if p.Nic.Qdiscs == nil {
				r.NotKnownOf(p.Subject(), "queueing disciplines", "they are not in the snapshot")
				continue
			}
			q, found := p.Nic.Slowest()
			if !found || p.Link == nil || p.Link.Speed == 0 {
				continue
			}
			speed := p.Link.Speed
			if h.Facts.Lab != 0 {
				speed = unit.BitRate(float64(speed) * h.Facts.Lab) // the lab's own shaper is the link
			}
			rate, _ := q.Rate.Get()
			if float64(rate) >= 0.97*float64(speed) {
				continue
			}
			loss := 1 - float64(rate)/float64(speed)
			f := record.Finding{
				Severity: record.Warning, Subject: p.Subject(),
				Have: fmt.Sprintf("%s lets %s out", q.Kind, rate), Want: fmt.Sprintf("%s, what the link %s carries", speed,
					p.Link.Name),
				Evidence: []record.EvidenceLine{{Host: h.Name, Source: "tc qdisc show dev " + p.Nic.Name,
					Line: fmt.Sprintf("%s %s %s rate %.0fbit", q.Kind, q.Handle, q.Parent, float64(rate))}},
				Consequence: fmt.Sprintf("%s of %s, %s less than the link carries", rate, speed, speed-rate),
				Loss:        unit.Known(loss),
				Fix:         "tc qdisc del dev " + p.Nic.Name + " root", Undo: q.Restore(p.Nic.Name),
			}
			if loss >= 0.1 {
				f.Severity = record.Error
			}
			if h.Facts.Lab != 0 { // removing it would remove the link's own rate
				f.Fix, f.Undo = "linerate lab down, and up again: the link's own shaper comes back", ""
			}
			r.Found(f, p.Subject())
		}
	},
}

// manyRules is the number of rules that a packet may pass before they are reported. Measured in the lab: 3000 linear
// rules left 320 Mb/s, with 31 to 49 % of a core in soft interrupts and nothing dropped; a tenth of that matters at
// tens of Gb/s.
const manyRules = 300

// Firewall checks the number of firewall rules that each packet passes.
var Firewall = check.Check{
	ID:    "firewall-cost",
	Title: "firewall rules that each packet passes",
	Why: "rules are asked one after another, for every packet: thousands of them cost more than everything else " +
		"that is done for it",
	Worst:  record.Error,
	Source: "measured in the lab: 320 Mb/s through 3000 rules; nft(8)",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			rules, known := h.Facts.Firewall.Get()
			if !known && (h.Plan == nil || h.Traits().PowerShell) {
				continue // a few pasted outputs need not include it
			}
			if !known {
				if h.Plan != nil { // not expected of a switch, or of a single command's output
					r.NotKnown(h.Name+": firewall rules", "%s", h.Facts.Firewall.Why())
				}
				continue
			}
			if most := rules.Most(); most.Rules >= manyRules {
				f := record.Finding{
					Severity: record.Warning, Subject: h.Subject("firewall"),
					Have: fmt.Sprintf("%d rules in the chain %s", most.Rules, most.Name()),
					Want: fmt.Sprintf("fewer than %d in a row", manyRules),
					Evidence: []record.EvidenceLine{{Host: h.Name, Source: "nft list ruleset",
						Line: fmt.Sprintf("chain %s: hook %s, %d rules", most.Name(), most.Hook, most.Rules)}},
					Consequence: "each packet of this hook meets them one after another until one matches",
					Fix: "a rule for established connections first (ct state established,related accept), and addresses " +
						"and ports in sets (nft add set ..)",
				}
				if most.Rules >= 10*manyRules {
					f.Severity = record.Error
				}
				r.Found(f, h.Subject())
			}
		}
	},
}
