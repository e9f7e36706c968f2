package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	linux "linerate/internal/device/linux/parse"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// policer is the cause where traffic above a rate is dropped, without a queue. A firewall rule with such a limit on one
// of the hosts is proof where goodput is near its rate and packets are lost. Otherwise the pattern of the losses is
// evidence: many at a time, retransmits lost again, and no queue.
var policer = judge.Cause{
	ID: "policer", Title: "what is above a rate is dropped",
	Plain: "Something on the way throws away whatever comes faster than a certain rate. Slower than that, everything " +
		"arrives.",
	Applies: judge.TCP, Settles: keptAtLowerRate,
	Test: func(c *judge.Case) *judge.Match {
		l := lost(c)
		if l == nil || c.Share() >= 0.95 {
			return nil
		}
		if m := policed(c, l.evidence(c)); m != nil {
			return m
		}
		w, ok := waited(c)
		if !ok || !l.outside() || l.Slices < 0.3 || !free(c) || w.Queue() >= longQueue && w.Now > 2*w.Least ||
			l.Episode < 4 && l.Again < 0.08 {
			return nil
		}
		m := c.Candidate(c.Between()+": losses", "is held back on the way between the two, where what comes above a rate "+
			"is dropped.")
		m.Add(l.evidence(c), w.evidence(c))
		m.Next = paceTwice(c)
		return m
	},
}

// policed returns the match of a rule anywhere on the path that drops traffic above a rate; nil: no such rule limits
// this experiment.
func policed(c *judge.Case, lost record.Evidence) *judge.Match {
	for _, s := range c.AllSides() {
		if m := policedBy(c, s, lost); m != nil {
			return m
		}
	}
	return nil
}

// policedBy is policed for the rules of one host.
func policedBy(c *judge.Case, s judge.Side, lost record.Evidence) *judge.Match {
	if s.Shots.After == nil {
		return nil
	}
	rules, _ := s.Shots.After.Firewall.Get()
	for _, r := range rules.Limits {
		coming := r.Hook == "input" || r.Hook == "prerouting" || r.Hook == "ingress"
		if r.Bytes <= 0 || s.Host == c.Sender.Host && coming || s.Host == c.Receiver.Host && !coming || s.Port == nil &&
			r.Hook == "input" {
			continue
		}
		set := r.Bytes * 8
		// nftables allows a burst of one second at the rate, and counts headers, so goodput may be above or below the rate.
		if c.Goodput > 2.5*set || c.Goodput < 0.2*set || set > 1.2*c.Ceiling {
			continue
		}
		m := c.Candidate(fmt.Sprintf("%s: firewall", s.Host), "is held back by the firewall of %s: a rule drops what comes "+
			"above %s.", s.Host, judge.Rate(set))
		m.Likely(judge.Reading(s.Host, "nft list ruleset", "limit", set, "bit/s", "%s %s: %s", r.Table, r.Chain, r.Rule),
			lost)
		m.Fix = fmt.Sprintf("nft -a list chain %[1]s %[2]s\nthat shows the rule with its handle, a number, behind it; "+
			"delete it by that:\nnft delete rule %[1]s %[2]s handle N\nwhere the rate is meant, let the sender keep it, so "+
			"that nothing is lost: %[3]s", r.Table, r.Chain, c.With("pace", judge.ShortRate(unit.BitRate(0.9*set/float64(max(1,
			len(c.Streams)))))))
		m.Undo = ruleBack(r)
		if was := droppedBefore(s, r); r.Dropped != nil && was != nil && *r.Dropped > *was {
			n := float64(*r.Dropped - *was)
			m.Add(record.Evidence{Host: s.Host, Source: "nft list ruleset", Counter: "counter packets",
				Before: new(float64(*was)), After: new(float64(*r.Dropped)), Unit: "packets",
				Text: fmt.Sprintf("it dropped %.0f packets during the experiment (with offloads several segments each)", n)})
			m.Strength = judge.Proved
		} else if r.Dropped != nil {
			continue // it has a counter, and dropped nothing
		}
		return m
	}
	return nil
}

// ruleBack returns the command that adds a rule again at its place in its chain.
func ruleBack(r facts.FirewallLimit) string {
	rule := linux.WithoutCounters(r.Rule)
	if r.Last {
		return "nft " + judge.Quote(fmt.Sprintf("add rule %s %s %s", r.Table, r.Chain, rule))
	}
	// before the rule that has its place now
	return "nft " + judge.Quote(fmt.Sprintf("insert rule %s %s index %d %s", r.Table, r.Chain, r.Index, rule))
}

// droppedBefore returns the counter of the same rule before the experiment.
func droppedBefore(s judge.Side, r facts.FirewallLimit) *uint64 {
	if s.Shots.Before == nil {
		return nil
	}
	rules, _ := s.Shots.Before.Firewall.Get()
	for _, b := range rules.Limits {
		if b.Table == r.Table && b.Chain == r.Chain && linux.WithoutCounters(b.Rule) == linux.WithoutCounters(r.Rule) {
			return b.Dropped
		}
	}
	return nil
}
