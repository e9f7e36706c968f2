package host

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"

	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// FirewallDrop checks that no firewall drops packets between the planned addresses.
var FirewallDrop = check.Check{
	ID:    "firewall-drop",
	Title: "no firewall drops packets between the planned addresses",
	Why: "a firewall that drops what it should let through looks like a bad cable, or like a host that is switched " +
		"off",
	Worst:  record.Error,
	Source: "nft(8); tried in the lab",
	Look: func(w *check.World, r *check.Report) {
		for p := range w.Ports() {
			rules, known := p.Host.Facts.Firewall.Get()
			on := p.Addressed()
			if on == nil || !p.Port.Address.IsValid() {
				continue
			}
			if !known {
				if !p.Host.Traits().PowerShell {
					r.NotKnown(p.Host.Name+": firewall rules", "%s", p.Host.Facts.Firewall.Why())
				}
				continue
			}
			for q := range w.Ports() {
				if q.Host == p.Host || !q.Port.Address.IsValid() || q.Port.Address.Masked() != p.Port.Address.Masked() {
					continue
				}
				if f := firewallDrops(&p, &q, rules); f != nil {
					if f.Severity == record.Warning && refusesNew(&q, &p) {
						f.Severity = record.Error
						f.Consequence = fmt.Sprintf("neither %s nor %s can open a connection to the other", p.Host.Name, q.Host.Name)
					}
					r.FoundOn(&check.End{Host: p.Host, Nic: p.Nic}, *f)
					break // of the other peers the same rule drops
				}
			}
		}
	},
}

// fates returns the worst that a firewall does with the packets of the traffic: it drops each, or a part of them.
func (t traffic) fates(rules facts.Firewall, established bool) (worst linux.Fate) {
	for _, at := range []struct {
		hook string
		linux.Packet
	}{
		{"prerouting", linux.Packet{In: t.nic, From: t.peer, To: t.own}},
		{"input", linux.Packet{In: t.nic, From: t.peer, To: t.own}},
		{"output", linux.Packet{Out: t.nic, From: t.own, To: t.peer}},
		{"postrouting", linux.Packet{Out: t.nic, From: t.own, To: t.peer}},
	} {
		at.Established = established
		got := linux.FateOf(rules, at.hook, at.Packet)
		if got.Dropped || got.Sometimes && !worst.Sometimes {
			worst = got
		}
		if worst.Dropped {
			break
		}
	}
	return worst
}

// traffic is what two addresses exchange, as one of the hosts sees it.
type traffic struct {
	nic       string
	own, peer netip.Addr
}

func trafficOf(p, q *check.Port) traffic {
	return traffic{p.Addressed().Name, p.Port.Address.Addr(), q.Port.Address.Addr()}
}

// refusesNew reports whether the firewall of p's host refuses connections that q's host opens.
func refusesNew(p, q *check.Port) bool {
	rules, known := p.Host.Facts.Firewall.Get()
	return known && p.Addressed() != nil && trafficOf(p, q).fates(rules, false).Dropped
}

// firewallDrops returns the finding on the firewall of p's host and its traffic with q; nil: nothing is dropped.
func firewallDrops(p, q *check.Port, rules facts.Firewall) *record.Finding {
	t := trafficOf(p, q)
	peer := fmt.Sprintf("%s (%s)", q.Host.Name, t.peer)
	f := &record.Finding{Severity: record.Error}
	fate := t.fates(rules, true)
	switch {
	case fate.Dropped:
		f.Have = "the firewall drops every packet " + direction(fate, peer)
		f.Consequence = "nothing gets through the link"
	case fate.Sometimes:
		f.Have = "the firewall drops a part of the packets " + direction(fate, peer)
		f.Consequence = "TCP retransmits what the rule drops, and slows down"
	default:
		if fate = t.fates(rules, false); !fate.Dropped {
			return nil
		}
		f.Severity = record.Warning
		f.Have = "the firewall refuses new connections " + direction(fate, peer)
		f.Consequence = "only ports that a rule accepts are open on this link; linerate connects from the other end"
	}
	chain := strings.TrimSpace(fate.Table + " " + fate.Chain)
	f.Want = "a rule before it that accepts them"
	f.Evidence = []record.EvidenceLine{{Host: p.Host.Name, Source: ruleSource(fate.Rule),
		Line: fmt.Sprintf("chain %s: %s", chain, cmp.Or(fate.Rule, "policy drop"))}}
	f.Fix, f.Undo = check.Allow(rules, fate, p.Port.Address.Masked())
	return f
}

func direction(f linux.Fate, peer string) string {
	if f.Hook == "output" || f.Hook == "postrouting" {
		return "to " + peer
	}
	return "from " + peer
}

func ruleSource(rule string) string {
	if strings.HasPrefix(rule, "-A ") {
		return "iptables-save"
	}
	return "nft list ruleset"
}
