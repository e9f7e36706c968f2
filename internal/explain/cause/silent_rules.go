package cause

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// silentDrops are the rules of firewalls on the path that drop packets and do not count them: where packets are lost
// that no counter has, each may be the reason. The evidence is that the rule exists; try has the commands that add a
// counter.
func silentDrops(c *judge.Case) (all []record.Evidence, try []string) {
	for _, s := range c.AllSides() {
		if s.Shots.After == nil {
			continue
		}
		for _, chain := range s.Shots.After.Firewall.Or(facts.Firewall{}).Chains {
			coming := slices.Contains([]string{"input", "prerouting", "ingress"}, chain.Hook)
			if chain.Hook != "" && (s.Host == c.Sender.Host && coming || s.Host == c.Receiver.Host && !coming) {
				continue // the data does not pass it
			}
			for _, rule := range chain.SilentRules {
				e := record.Evidence{Host: s.Host, Source: "nft list ruleset", Counter: "rule",
					Text: fmt.Sprintf("a rule of the firewall of %s drops packets and does not count them: %s: %s", s.Host,
						chain.Name(), rule)}
				if strings.HasPrefix(rule, "-A ") {
					e.Source = "iptables-save"
					all, try = append(all, e), append(try, fmt.Sprintf("on %s: iptables -t %s -L %s -v -n -x", s.Host,
						strings.TrimPrefix(chain.Table, "ip "), chain.Chain))
					continue
				}
				all = append(all, e)
				try = append(try, fmt.Sprintf("on %s: nft -a list chain %s", s.Host, chain.Name()),
					fmt.Sprintf("on %s: nft %s", s.Host, judge.Quote(fmt.Sprintf("replace rule %s handle N %s", chain.Name(),
						withCounter(rule)))))
			}
		}
	}
	if len(try) > 0 {
		try = append([]string{"whether a rule of the firewall drops them, its counter shows (N is the handle that the " +
			"list has behind the rule):"}, try...)
	}
	return all, try
}

// ruleVerdict matches the verdict of a rule, after which no counter is reached.
var ruleVerdict = regexp.MustCompile(`(?:^| )(?:drop|reject\b.*)$`)

// withCounter inserts a counter before the verdict of a rule.
func withCounter(rule string) string {
	at := ruleVerdict.FindStringIndex(rule)
	if comment := strings.LastIndex(rule, ` comment "`); at == nil && comment >= 0 {
		return withCounter(rule[:comment]) + rule[comment:]
	}
	if at == nil {
		return "counter " + rule
	}
	return strings.TrimSpace(rule[:at[0]]+" counter") + " " + strings.TrimSpace(rule[at[0]:])
}

// unseenLosses are verdicts on losses that no counter has.
var unseenLosses = []string{record.LimiterUnexplained, policer.ID, shallowBuffer.ID, randomLoss.ID}

// SayWhoMayDrop adds the rules that may have dropped the packets to a verdict that is based on losses.
func SayWhoMayDrop(c *judge.Case, v *record.Verdict) {
	if !slices.Contains(unseenLosses, v.Limiter) || lost(c) == nil ||
		slices.ContainsFunc(v.Evidence, func(e record.Evidence) bool { return e.Counter == "limit" }) {
		return
	}
	rules, try := silentDrops(c)
	v.Evidence = append(v.Evidence, rules...)
	if len(rules) > 0 {
		v.Sentence += fmt.Sprintf(" A rule of the firewall of %s drops packets and does not count them: it may be what "+
			"loses them.", rules[0].Host)
	}
	for i, line := range try {
		try[i] = c.TypedAt("", line)
	}
	if len(try) > 0 {
		v.NextExperiment = strings.TrimSpace(v.NextExperiment + "\n" + strings.Join(try, "\n"))
	}
}
