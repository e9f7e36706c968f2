package highlight

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/chart"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// keyLineRate finds, for each direction of a sweep, the size from which on it runs at its line rate, with each number
// of streams.
func keyLineRate(s *source) (out []Finding) {
	for _, sw := range chart.Sweeps(s.rows, "") {
		for _, p := range sw.Panels {
			if f, ok := lineRateFinding(&sw, p); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

func lineRateFinding(s *chart.Sweep, p chart.SweepPanel) (Finding, bool) {
	var about []*record.Experiment
	last := len(s.Xs) - 1
	least, kind := 0, ""
	with := make([][]string, len(s.Xs)) // streams that run at line rate from each size on
	systems, slow := 0, 0               // slow are the values with a repeat that is farther from the ceiling
	for _, y := range p.Systems {
		from, why := s.LineRateFrom(y)
		if why != "" || from < 0 {
			continue
		}
		combinations := s.Xs[from:]
		if slices.ContainsFunc(combinations,
			func(x string) bool { c := y.Combinations[x]; return c.Goodput.Repeats < minRepeats || Skipped(c.E) }) {
			continue
		}
		for _, x := range combinations {
			if c := y.Combinations[x]; c.Goodput.Low < chart.Full*float64(c.E.Ceiling.Planned()) {
				slow++
			}
			if e := y.Combinations[x].Goodput; least == 0 || e.Repeats < least {
				least, kind = e.Repeats, intervalName(e)
			}
		}
		about = append(about, y.Combinations[combinations[0]].E)
		with[from], systems = append(with[from], y.Name), systems+1
	}
	if systems == 0 {
		return Finding{}, false
	}
	var said []string
	for i, names := range with {
		if len(names) == 0 {
			continue
		}
		text := "from " + s.Value(s.Xs[i]) + " on"
		if i == last {
			text = "at " + s.Value(s.Xs[i]) + " alone"
		}
		if names[0] != "" {
			text += " with " + together(names)
		}
		said = append(said, text)
	}
	text := fmt.Sprintf("%s runs at its line rate %s", format.Arrows(p.Row.Path()), strings.Join(said, ", "))
	if n := len(p.Systems) - systems; n > 0 {
		text += fmt.Sprintf(", with %s not", unit.If(n > 1, "the others", "one other"))
	}
	within := fmt.Sprintf("the low end of each %s of %d is within 3 %% of the ceiling", kind, least)
	if slow > 0 {
		within = fmt.Sprintf("each median of %d is within 3 %% of the ceiling, and the low end of all %ss but %d", least,
			kind, slow)
	}
	text += fmt.Sprintf("; the largest %s measured is %s (%s).", s.Key, s.Value(s.Xs[last]), within)
	return Finding{Highlight: record.Highlight{Text: text, Metric: "goodput"}, strength: physics + float64(systems),
		About: about}, true
}

// together is "1, 4 and 8 streams" of "1 stream", "4 streams" and "8 streams".
func together(names []string) string {
	const noun = " streams"
	short := make([]string, len(names))
	for i, n := range names {
		n = strings.TrimSuffix(n, "s") + "s"
		if !strings.HasSuffix(n, noun) || len(names) < 2 {
			return unit.List(names)
		}
		short[i] = strings.TrimSuffix(n, noun)
	}
	return unit.List(short) + noun
}

// keyPaths counts the directions of an experiment without a sweep that run at their ceiling, and names the one that is
// furthest from it.
func keyPaths(s *source) (out []Finding) {
	swept := map[string]bool{}
	for _, sw := range chart.Sweeps(s.rows, "") {
		for _, p := range sw.Panels {
			swept[p.Row.Name] = true
		}
	}
	type tally struct {
		all, at int
		worst   result.Combination
		lowest  float64 // low end, as a share of the ceiling
		path    string
		about   []*record.Experiment
	}
	var order []string
	of := map[string]*tally{}
	for _, w := range s.rows {
		c := w.Main()
		if swept[w.Name] || c.Goodput == nil || c.Goodput.Repeats < minRepeats || c.E.Ceiling == nil ||
			c.E.Ceiling.Planned() <= 0 || Skipped(c.E) {
			continue
		}
		key := w.Name + "\x00" + w.Variant
		t := of[key]
		if t == nil {
			t = &tally{}
			of[key], order = t, append(order, key)
		}
		t.all++
		t.about = append(t.about, c.E)
		if c.Goodput.Low >= chart.Full*float64(c.E.Ceiling.Planned()) {
			t.at++
		}
		if low := c.Goodput.Low / float64(c.E.Ceiling.Planned()); t.worst.E == nil || low < t.lowest {
			t.worst, t.lowest, t.path = c, low, format.Arrows(w.Path())
		}
	}
	for _, key := range order {
		t := of[key]
		name, _, _ := strings.Cut(key, "\x00")
		with := ""
		if l := t.worst.Label(); l != "" {
			with = " with " + l
		}
		text := fmt.Sprintf("%d of %d directions of %s %s%s", t.at, t.all, format.Clean(name),
			unit.If(t.at == 1, "runs at its ceiling", "run at their ceiling"), with)
		switch {
		case t.at == 0 && t.all == 1:
			continue // its own verdict already says this
		case t.all == 1:
			text = t.path + " runs at its ceiling" + with
		case t.at == t.all:
			text = fmt.Sprintf("%s directions of %s run at their ceiling%s",
				unit.If(t.all == 2, "Both", fmt.Sprintf("All %d", t.all)), format.Clean(name), with)
		}
		text += " (the low end of the " + intervalName(t.worst.Goodput) + " is within 3 % of it)"
		if t.at < t.all {
			text += fmt.Sprintf("; the furthest from it is %s, %s of %s (%s)", t.path, format.Rate(t.worst.Goodput.Median),
				result.CeilingText(t.worst.E), format.Spread(t.worst.Goodput))
		}
		out = append(out,
			Finding{Highlight: record.Highlight{Text: text + ".", Metric: "goodput"}, strength: physics, About: t.about})
	}
	return out
}
