package cause

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// firewallDrop is the cause where a rule of a firewall on the path drops packets. Its counter is compared with the
// retransmits: a packet there is what offloads merged, so that up to MostMerged segments are in one.
var firewallDrop = judge.Cause{
	ID: "firewall-drop", Title: "a firewall rule that drops packets", Label: "firewall",
	Plain: "A firewall throws away a part of the data, and it has to be retransmitted. The cable and the NICs are not " +
		"to blame.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		l := lost(c)
		if l == nil || c.Share() >= judge.AtCeiling || policed(c, l.evidence(c)) != nil {
			return nil
		}
		rules := c.DroppingRules()
		m := ruleMatch(c, rules, "is held back by the firewall of %s: a rule drops packets, and TCP has to retransmit "+
			"them.")
		if m == nil {
			return nil
		}
		m.Add(l.evidence(c))
		n, most := dropsOf(rules), c.MostMerged()
		if l.Slices < 0.3 || !free(c) || n > lostTwice*l.Segments {
			return m
		}
		accountFor(c, m, l, n, "packets dropped by the firewall")
		if m.Strength == judge.Candidate && n*most >= l.Segments/2 {
			m.Likely(mergedEvidence(c, n, most, l.Segments))
		}
		return m
	},
	Fails: refusedConnections,
}

// lostTwice is how many times as many packets as were retransmitted a rule may have dropped. If there are more, most of
// them are of something else.
const lostTwice = 1.5

// dropsOf adds up the packets that rules dropped.
func dropsOf(rules []judge.Rule) (n float64) {
	for _, r := range rules {
		n += r.Packets
	}
	return n
}

// ruleMatch returns the match for rules that dropped packets; nil: they dropped next to none.
func ruleMatch(c *judge.Case, rules []judge.Rule, sentence string) *judge.Match {
	if dropsOf(rules) < minLosses {
		return nil
	}
	top := rules[0]
	m := c.Candidate(top.Side.Host+": firewall", sentence, top.Side.Host)
	for _, r := range rules[:min(len(rules), 3)] {
		m.Add(r.Evidence())
	}
	m.Fix, m.Undo = letThrough(c, top)
	return m
}

// letThrough returns the commands that make a firewall accept the measured traffic.
func letThrough(c *judge.Case, r judge.Rule) (fix, undo string) {
	near := c.Receiver
	if near.Port == nil || !near.Port.Address.IsValid() {
		return "", ""
	}
	fix, undo = check.Allow(r.Side.Shots.After.Firewall.Or(facts.Firewall{}), r.Fate, near.Port.Address.Masked())
	return judge.OnHost(r.Side.Host, fix), judge.OnHost(r.Side.Host, undo)
}

// mergedEvidence says why fewer packets than segments account for them.
func mergedEvidence(c *judge.Case, packets, most, segments float64) record.Evidence {
	text := fmt.Sprintf("a packet at the firewall has up to %.0f segments, because offloads merge them: %.0f packets "+
		"are %.0f to %.0f segments, and %.0f were lost", most, packets, packets, packets*most, segments)
	if mean, known := c.MergedIn(); known {
		text += fmt.Sprintf("; on average %s had %s segments", c.Receiver.Host, unit.Significant(mean))
	}
	return judge.Reading(c.Receiver.Host, "TCP_INFO: segment size", "segments a packet", most, "segments", "%s", text)
}

// holdingRule is firewallDrop for a rule whose drops TCP does not retransmit as lost segments: at the sender the data
// never left, and an acknowledgement has no data. Such a rule is found by what it says and by its counter.
var holdingRule = judge.Cause{
	ID: firewallDrop.ID, Title: firewallDrop.Title, Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		if c.Share() >= judge.AtCeiling {
			return nil
		}
		rules := c.HoldingRules()
		m := ruleMatch(c, rules, "is held back by the firewall of %s: a rule drops packets of its connections.")
		if m == nil {
			return nil
		}
		top := rules[0]
		counter := "rx_packets"
		if slices.Contains([]string{"output", "postrouting", "egress"}, top.Hook) {
			counter = "tx_packets"
		}
		passed, why := c.Delta(top.Side, counter)
		if why != "" || !c.Matches(top) || top.Packets < manyDropped*(top.Packets+passed.Net) {
			return m
		}
		m.Likely(passed.Evidence(top.Side.Host, "ip -s link", counter, "packets", "it matches the measured connections, of "+
			"which %.0f packets passed", passed.Net))
		return m
	},
}

// manyDropped is the share of dropped packets from which on they slow down a connection that does not count them as
// lost.
const manyDropped = 0.01

// refusedConnections is firewallDrop for an experiment that could not connect: a firewall refuses what would open a
// connection, and the other end asked again and again.
func refusedConnections(c *judge.Case) *judge.Match {
	for _, s := range []judge.Side{c.Receiver, c.Sender} {
		by, refused := c.Refused(s)
		if !refused {
			continue
		}
		other := c.Sender
		if s.Host == c.Sender.Host {
			other = c.Receiver
		}
		source, text := judge.RuleText(by)
		m := &judge.Match{Strength: judge.Candidate, Component: s.Host + ": firewall",
			Sentence: fmt.Sprintf("%s was not measured: the firewall of %s refuses the connections that %s opens.", c.Subject(),
				s.Host, other.Host)}
		m.Add(record.Evidence{Host: s.Host, Source: source, Counter: "rule", Text: text})
		m.Fix, m.Undo = letThrough(c, judge.Rule{Side: s, Fate: by})
		again, why := c.Delta(other, "TcpExt.TCPSynRetrans")
		if why == "" && again.Net >= 1 {
			m.Likely(again.Evidence(other.Host, "/proc/net/netstat", "TCPSynRetrans", "segments", "%s asked %.0f times more "+
				"for connections that were not made", other.Host, again.Net))
		}
		return m
	}
	return nil
}

// udpFirewallDrop is firewallDrop for datagrams.
var udpFirewallDrop = judge.Cause{
	ID: firewallDrop.ID, Title: firewallDrop.Title, Applies: judge.UDP,
	Test: func(c *judge.Case) *judge.Match {
		g := gone(c)
		if g == nil || g.fromSockets() || policed(c, g.evidence(c)) != nil {
			return nil
		}
		rules := c.DroppingRules()
		m := ruleMatch(c, rules, "loses datagrams in the firewall of %s: a rule drops them.")
		if m == nil {
			return nil
		}
		m.Add(g.evidence(c))
		n := c.InDatagrams(dropsOf(rules), g.missing)
		proved := m.Proves(n, g.missing, judge.Datagrams(n)+" dropped by the firewall", "not arrived: "+
			judge.Datagrams(g.missing))
		if !proved && n >= g.missing/2 && n <= lostTwice*g.missing {
			m.Strength = judge.Likely
		}
		return m
	},
}
