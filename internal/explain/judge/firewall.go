package judge

import (
	"fmt"
	"slices"

	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// Rule is a rule of a firewall on the path of the data that dropped packets during the experiment.
type Rule struct {
	Side Side
	linux.Fate
	// Packets is how many it dropped. Offloads merge several segments into one of these.
	Packets float64
}

// The hooks of packets that come in to a host, and of those that leave it.
var (
	comingIn  = []string{"ingress", "prerouting", "input"}
	goingOut  = []string{"output", "postrouting", "egress"}
	anyOfHost = slices.Concat(comingIn, goingOut, []string{"forward"})
)

// DroppingRules returns the rules that counted drops of the data during the experiment, where TCP has to retransmit
// them: at the receiver, and at switches.
func (c *Case) DroppingRules() (all []Rule) {
	return c.rulesAt(func(host string) []string {
		switch host {
		case c.Receiver.Host:
			return comingIn
		case c.Sender.Host:
			return nil
		}
		return anyOfHost
	})
}

// HoldingRules returns the rules that counted drops during the experiment, and that TCP does not count as losses: at
// the sender, of the data before it leaves, and at both ends, of the acknowledgements.
func (c *Case) HoldingRules() (all []Rule) {
	return c.rulesAt(func(host string) []string {
		switch host {
		case c.Receiver.Host:
			return goingOut
		case c.Sender.Host:
			return anyOfHost
		}
		return nil
	})
}

// rulesAt returns the rules at the hooks of each host that counted drops during the experiment, the one with most
// first, without what their host drops while nothing is measured. A host whose rules were changed meanwhile has none.
func (c *Case) rulesAt(hooks func(host string) []string) (all []Rule) {
	for _, s := range c.AllSides() {
		g, why := s.DeltaOn("", "firewall.drops")
		if why != "" || g.Net < 0.5 {
			continue
		}
		before, after := s.Shots.Before.Firewall.Or(facts.Firewall{}), s.Shots.After.Firewall.Or(facts.Firewall{})
		for i, chain := range after.Chains {
			was := before.Chains[i]
			if chain.Chain != was.Chain || len(chain.All) != len(was.All) || !after.From(hooks(s.Host), chain) {
				continue
			}
			for j, r := range chain.All {
				if !r.Drops || r.Packets == nil || was.All[j].Packets == nil || was.All[j].Text != r.Text {
					continue
				}
				if n := float64(*r.Packets) - float64(*was.All[j].Packets); n > 0 {
					all = append(all, Rule{s, linux.Fate{Table: chain.Table, Chain: chain.Chain, Hook: chain.Hook, Rule: r.Text},
						min(n, g.Net)})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Rule) int { return int(b.Packets - a.Packets) })
	return all
}

// Refused returns what the firewall of a host does with packets that open a connection from the other end.
func (c *Case) Refused(at Side) (linux.Fate, bool) {
	return c.fate(at, comingIn, false, func(f linux.Fate) bool { return f.Dropped })
}

// Matches reports whether a rule, as it is written, drops packets of the measured connections, all or a part of them.
func (c *Case) Matches(r Rule) bool {
	_, found := c.fate(r.Side, anyOfHost, true, func(f linux.Fate) bool {
		return (f.Dropped || f.Sometimes) && f.Table == r.Table && f.Chain == r.Chain && f.Rule == r.Rule
	})
	return found
}

// fate returns what the first of the hooks does with packets of the experiment for which wanted holds.
func (c *Case) fate(at Side, hooks []string, established bool, wanted func(linux.Fate) bool) (linux.Fate, bool) {
	other := c.Sender
	if at.Host == c.Sender.Host {
		other = c.Receiver
	}
	if at.Shots.After == nil || at.Port == nil || other.Port == nil {
		return linux.Fate{}, false
	}
	rules, _ := at.Shots.After.Firewall.Get()
	own, peer := at.Port.Address.Addr(), other.Port.Address.Addr()
	for _, hook := range hooks {
		p := linux.Packet{In: at.Port.Interface, From: peer, To: own, Established: established}
		if slices.Contains(goingOut, hook) {
			p = linux.Packet{Out: at.Port.Interface, From: own, To: peer, Established: established}
		}
		if got := linux.FateOf(rules, hook, p); wanted(got) {
			return got, true
		}
	}
	return linux.Fate{}, false
}

// MergedIn returns the mean number of segments in a packet that the receiver's IP layer takes, where its firewall
// counts: receive offload merges segments before. Source: ip_rcv_core in net/ipv4/ip_input.c counts a packet once in
// InReceives, and each of its segments in one of the counters by ECN. known is false if these were not read.
func (c *Case) MergedIn() (mean float64, known bool) {
	if c.Receiver.Port == nil || c.Receiver.Port.Address.Addr().Is6() {
		return 1, false // those of IPv6 are not read
	}
	taken, why := c.Delta(c.Receiver, "Ip.InReceives")
	if why != "" || taken.Gross <= 0 {
		return 1, false
	}
	segments := 0.0
	for _, name := range []string{"InNoECTPkts", "InECT0Pkts", "InECT1Pkts", "InCEPkts"} {
		g, why := c.Delta(c.Receiver, "IpExt."+name)
		if why != "" {
			return 1, false
		}
		segments += g.Gross
	}
	return max(1, segments/taken.Gross), true
}

// RuleText returns a rule with its chain, as evidence quotes it.
func RuleText(f linux.Fate) (source, text string) {
	source, text = "nft list ruleset", f.Table+" "+f.Chain+": "+f.Rule
	if len(f.Rule) > 3 && f.Rule[:3] == "-A " {
		source = "iptables-save"
	}
	if f.Rule == "" {
		text += "policy drop"
	}
	return source, text
}

// Evidence returns the rule with what it dropped.
func (r Rule) Evidence() record.Evidence {
	source, text := RuleText(r.Fate)
	return record.Evidence{Host: r.Side.Host, Source: source, Counter: "counter packets", Before: new(0.0),
		After: new(r.Packets), Unit: "packets",
		Text: fmt.Sprintf("a rule dropped %.0f packets: %s", r.Packets, text)}
}
