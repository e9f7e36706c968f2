package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// policer: what comes above a rate is dropped, without a queue. A rule of a firewall that says so, on one of the hosts, is proof where goodput is
// near to it and packets are lost. Otherwise there is how the losses look: many at a time, those that are sent again lost once more, and no queue.
var policer = Cause{
	ID: "policer", Title: "what is above a rate is dropped", Transport: "tcp",
	Test: func(c *Case) *Match {
		l := c.lost()
		if l == nil || c.Share() >= 0.95 {
			return nil
		}
		if m := c.policed(l.evidence(c)); m != nil {
			return m
		}
		w, ok := c.waited()
		if !ok || !l.outside() || l.Slices < 0.3 || !c.free() || w.Queue() >= longQueue && w.Now > 2*w.Least || l.Episode < 4 && l.Again < 0.08 {
			return nil
		}
		return &Match{
			Strength: Candidate, Component: c.between() + ": losses",
			Sentence: fmt.Sprintf("%s is held back on the way between the two, where what comes above a rate is dropped.", c.subject()),
			Evidence: []record.Evidence{l.evidence(c), w.evidence(c)},
			Next:     c.paceTwice(), NextCeiling: c.nextCeiling(""),
		}
	},
}

// policed is a rule of anything on the path that drops what is above a rate; nil: nothing there has one that holds this experiment.
func (c *Case) policed(lost record.Evidence) *Match {
	for _, s := range c.everywhere() {
		if m := c.policedBy(s, lost); m != nil {
			return m
		}
	}
	return nil
}

// policedBy is a rule of a host that drops what is above a rate; nil: it has none that holds this experiment.
func (c *Case) policedBy(s Side, lost record.Evidence) *Match {
	if s.Shots.After == nil {
		return nil
	}
	rules, _ := s.Shots.After.Firewall.Get()
	for _, r := range rules.Limits {
		coming := r.Hook == "input" || r.Hook == "prerouting" || r.Hook == "ingress"
		if r.Bytes <= 0 || s.Host == c.Sender.Host && coming || s.Host == c.Receiver.Host && !coming || s.Port == nil && r.Hook == "input" {
			continue
		}
		set := r.Bytes * 8
		// The bucket of nftables holds a second of the rate, and headers are counted: what passes may be more or less.
		if c.Goodput > 2.5*set || c.Goodput < 0.2*set || set > 1.2*c.Ceiling {
			continue
		}
		m := &Match{
			Strength: Likely, Component: fmt.Sprintf("%s: firewall", s.Host),
			Sentence: fmt.Sprintf("%s is held back by the firewall of %s: a rule drops what comes above %s.", c.subject(), s.Host, rate(set)),
			Evidence: []record.Evidence{{Host: s.Host, Source: "nft list ruleset", Counter: "limit", After: ptr(set), Unit: "bit/s",
				Text: fmt.Sprintf("%s %s: %s", r.Table, r.Chain, r.Rule)}, lost},
			Fix: fmt.Sprintf("nft -a list chain %[1]s %[2]s\nthat shows the rule with its handle, a number, behind it; delete it by that:\nnft delete rule %[1]s %[2]s handle N\n"+
				"where the rate is meant, let the sender keep it, so that nothing is lost: %[3]s", r.Table, r.Chain, c.with("pace", short(unit.BitRate(0.9*set/float64(max(1, len(c.Streams))))))),
			Undo:        ruleBack(r),
			NextCeiling: c.nextCeiling(""),
		}
		if was := droppedBefore(s, r); r.Dropped != nil && was != nil && *r.Dropped > *was {
			n := float64(*r.Dropped - *was)
			m.Evidence = append(m.Evidence, record.Evidence{Host: s.Host, Source: "nft list ruleset", Counter: "counter packets", Before: ptr(float64(*was)), After: ptr(float64(*r.Dropped)), Unit: "packets",
				Text: fmt.Sprintf("it dropped %.0f packets during the experiment (with offloads several segments each)", n)})
			m.Strength = Proved
		} else if r.Dropped != nil {
			continue // it counts, and dropped nothing
		}
		return m
	}
	return nil
}

// ruleBack adds a rule again where it was among those of its chain.
func ruleBack(r facts.FirewallLimit) string {
	rule := facts.WithoutCounters(r.Rule)
	if r.Last {
		return "nft " + quote(fmt.Sprintf("add rule %s %s %s", r.Table, r.Chain, rule))
	}
	return "nft " + quote(fmt.Sprintf("insert rule %s %s index %d %s", r.Table, r.Chain, r.Index, rule)) // before the one that has its place now
}

// droppedBefore is what the counter of the same rule said before the experiment.
func droppedBefore(s Side, r facts.FirewallLimit) *uint64 {
	if s.Shots.Before == nil {
		return nil
	}
	rules, _ := s.Shots.Before.Firewall.Get()
	for _, b := range rules.Limits {
		if b.Table == r.Table && b.Chain == r.Chain && facts.WithoutCounters(b.Rule) == facts.WithoutCounters(r.Rule) {
			return b.Dropped
		}
	}
	return nil
}
