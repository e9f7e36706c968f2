package highlight

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/report/compare"
	"linerate/internal/report/format"
)

// minCombinations is the smallest number of combinations for which "in all" is meaningful.
const minCombinations = 3

// keyAlways finds where one of two systems was better in every combination: work, CPU time.
func keyAlways(s *source) (out []Finding) {
	type group struct {
		all  []Contest
		wins []won
	}
	for _, metric := range []func(Contest) Metric{
		func(c Contest) Metric { return c.work },
		func(c Contest) Metric {
			if c.work.Name != "iops" && c.work.Name != "goodput" {
				return Metric{}
			}
			return cpuMetric(c.A)
		},
	} {
		var order []string
		of := map[string]*group{}
		for _, c := range s.contests {
			m := metric(c)
			if m.Name == "" {
				continue
			}
			key := c.group
			if of[key] == nil {
				of[key], order = &group{}, append(order, key)
			}
			of[key].all = append(of[key].all, c)
			if w, ok := c.winner(m, 1); ok {
				of[key].wins = append(of[key].wins, w)
			}
		}
		for _, key := range order {
			g := of[key]
			if len(g.all) < minCombinations || len(g.wins) < len(g.all) {
				continue
			}
			if f, ok := always(g.wins); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// always returns the finding for combinations with the same winner; false if there are two winners.
func always(wins []won) (Finding, bool) {
	least, most, weakest := wins[0], wins[0], wins[0]
	for _, w := range wins {
		if w.lb != wins[0].lb {
			return Finding{}, false
		}
		if w.ratio.Ratio < least.ratio.Ratio {
			least = w
		}
		if w.ratio.Ratio > most.ratio.Ratio {
			most = w
		}
		if w.ratio.Low < weakest.ratio.Low {
			weakest = w
		}
	}
	words := wins[0].metric.words
	for _, w := range wins {
		if w.metric.words != words { // IOPS of small blocks, throughput of large ones
			words = "work"
		}
	}
	in := ""
	if wins[0].A.Name == wins[0].B.Name {
		in = " of " + format.Clean(wins[0].A.Name)
	}
	head := fmt.Sprintf("In all %d combinations%s %s ", len(wins), in, wins[0].lb)
	var text string
	switch {
	case wins[0].metric.Name == "cpu":
		text = head + fmt.Sprintf("used less CPU than %s: %s to %s less.", wins[0].lr,
			unit.Percent(1-1/least.ratio.Ratio), unit.Percent(1-1/most.ratio.Ratio))
	case wins[0].metric.less:
		text = head + fmt.Sprintf("has a lower %s than %s: %s to %s less.", words, wins[0].lr,
			unit.Percent(1-1/least.ratio.Ratio), unit.Percent(1-1/most.ratio.Ratio))
	default:
		text = head + fmt.Sprintf("achieved more than %s: %s to %s times its %s, the most%s.", wins[0].lr,
			compare.Ratio(least.ratio.Ratio), compare.Ratio(most.ratio.Ratio), words, forCombination(most))
	}
	f := weakest.finding(text)
	f.Ratio, f.Low, f.High, f.short = nil, nil, nil, "" // there are several combinations
	f.About = nil
	for _, w := range append([]won{most}, wins...) {
		f.About = append(f.About, w.best, w.rest)
	}
	f.strength = most.strength() // as strong as its subject, and listed before it
	if weakest.ratio.Low < keyLeast {
		f.strength = weakest.strength()
	}
	return f, true
}

func forCombination(w won) string {
	if w.combination == "" {
		return ""
	}
	return " for " + w.combination
}
