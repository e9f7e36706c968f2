package report

import "fmt"

// keyCells is the fewest cells of which "in all" says something.
const keyCells = 3

// keyAlways says where one of two systems was the better one in every cell: work, processor.
func keyAlways(s *keySource) (out []keyFinding) {
	type group struct {
		all  []contest
		wins []won
	}
	for _, metric := range []func(contest) keyMetric{
		func(c contest) keyMetric { return c.work },
		func(c contest) keyMetric {
			if c.work.name != "iops" && c.work.name != "goodput" {
				return keyMetric{}
			}
			return processorMetric(c.a)
		},
	} {
		var order []string
		of := map[string]*group{}
		for _, c := range s.contests {
			m := metric(c)
			if m.name == "" {
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
			if len(g.all) < keyCells || len(g.wins) < len(g.all) {
				continue
			}
			if f, ok := always(g.wins); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// always is the finding of cells that all have one winner; false where they have two.
func always(wins []won) (keyFinding, bool) {
	least, most, weakest := wins[0], wins[0], wins[0]
	for _, w := range wins {
		if w.lb != wins[0].lb {
			return keyFinding{}, false
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
	if wins[0].a.Name == wins[0].b.Name {
		in = " of " + clean(wins[0].a.Name)
	}
	head := fmt.Sprintf("In all %d cells%s %s ", len(wins), in, wins[0].lb)
	var text string
	switch {
	case wins[0].metric.name == "cpu":
		text = head + fmt.Sprintf("used less processor than %s: %s to %s less.", wins[0].lr, wholePercent(1-1/least.ratio.Ratio), wholePercent(1-1/most.ratio.Ratio))
	case wins[0].metric.less:
		text = head + fmt.Sprintf("has a lower %s than %s: %s to %s less.", words, wins[0].lr, wholePercent(1-1/least.ratio.Ratio), wholePercent(1-1/most.ratio.Ratio))
	default:
		text = head + fmt.Sprintf("achieved more than %s: %s to %s times its %s, the most%s.", wins[0].lr, ratio(least.ratio.Ratio), ratio(most.ratio.Ratio), words, forCell(most))
	}
	f := weakest.finding(text)
	f.Ratio, f.Low, f.High, f.short = nil, nil, nil, "" // of many
	f.about = nil
	for _, w := range append([]won{most}, wins...) {
		f.about = append(f.about, w.best, w.rest)
	}
	f.strength = most.strength() // as strong as what it tells of, and before it
	if weakest.ratio.Low < keyLeast {
		f.strength = weakest.strength()
	}
	return f, true
}

func forCell(w won) string {
	if w.cell == "" {
		return ""
	}
	return " for " + w.cell
}
