package report

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/record"
)

// keyLineRate says of each direction of a sweep from which size on it runs at its line rate, with each number of streams.
func keyLineRate(s *keySource) (out []keyFinding) {
	for _, sw := range sweeps(s.rows, "") {
		for _, p := range sw.panels {
			if f, ok := sw.keyFinding(p); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

func (s *sweep) keyFinding(p sweepPanel) (keyFinding, bool) {
	var about []*record.Experiment
	last := len(s.xs) - 1
	least, kind := 0, ""
	with := make([][]string, len(s.xs)) // what runs at its line rate from each size on
	systems := 0
	for _, y := range p.systems {
		from, why := s.lineRateFrom(y)
		if why != "" || from < 0 {
			continue
		}
		cells := s.xs[from:]
		if slices.ContainsFunc(cells, func(x string) bool { c := y.cells[x]; return c.Goodput.Repeats < keyRepeats || skipped(c.E) }) {
			continue
		}
		for _, x := range cells {
			if e := y.cells[x].Goodput; least == 0 || e.Repeats < least {
				least, kind = e.Repeats, intervalName(e)
			}
		}
		about = append(about, y.cells[cells[0]].E)
		with[from], systems = append(with[from], y.name), systems+1
	}
	if systems == 0 {
		return keyFinding{}, false
	}
	var said []string
	for i, names := range with {
		if len(names) == 0 {
			continue
		}
		text := "from " + s.value(s.xs[i]) + " on"
		if i == last {
			text = "at " + s.value(s.xs[i]) + " alone"
		}
		if names[0] != "" {
			text += " with " + together(names)
		}
		said = append(said, text)
	}
	text := fmt.Sprintf("%s runs at its line rate %s", arrows(p.row.path()), strings.Join(said, ", "))
	if n := len(p.systems) - systems; n > 0 {
		text += fmt.Sprintf(", with %s not", map[bool]string{true: "the others", false: "one other"}[n > 1])
	}
	text += fmt.Sprintf("; the largest %s measured is %s (the low end of each %s of %d is within 3 %% of the ceiling).", s.Key, s.value(s.xs[last]), kind, least)
	return keyFinding{KeyFinding: record.KeyFinding{Text: text, Metric: "goodput"}, strength: physics + float64(systems), about: about}, true
}

// together is "1, 4 and 8 streams" of "1 stream", "4 streams" and "8 streams".
func together(names []string) string {
	const unit = " streams"
	short := make([]string, len(names))
	for i, n := range names {
		n = strings.TrimSuffix(n, "s") + "s"
		if !strings.HasSuffix(n, unit) || len(names) < 2 {
			return list(names)
		}
		short[i] = strings.TrimSuffix(n, unit)
	}
	return list(short) + unit
}

// keyPaths says how many directions of an experiment that sweeps nothing run at their ceiling, and which is the furthest from it.
func keyPaths(s *keySource) (out []keyFinding) {
	swept := map[string]bool{}
	for _, sw := range sweeps(s.rows, "") {
		for _, p := range sw.panels {
			swept[p.row.Name] = true
		}
	}
	type tally struct {
		all, at int
		worst   cell
		lowest  float64 // low end, as a share of the ceiling
		path    string
		about   []*record.Experiment
	}
	var order []string
	of := map[string]*tally{}
	for _, w := range s.rows {
		c := w.main()
		if swept[w.Name] || c.Goodput == nil || c.Goodput.Repeats < keyRepeats || c.E.Ceiling == nil || c.E.Ceiling.Planned() <= 0 || skipped(c.E) {
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
		if c.Goodput.Low >= full*float64(c.E.Ceiling.Planned()) {
			t.at++
		}
		if low := c.Goodput.Low / float64(c.E.Ceiling.Planned()); t.worst.E == nil || low < t.lowest {
			t.worst, t.lowest, t.path = c, low, arrows(w.path())
		}
	}
	for _, key := range order {
		t := of[key]
		name, _, _ := strings.Cut(key, "\x00")
		with := ""
		if l := t.worst.label(); l != "" {
			with = " with " + l
		}
		text := fmt.Sprintf("%d of %d directions of %s %s%s", t.at, t.all, clean(name), map[bool]string{true: "runs at its ceiling", false: "run at their ceiling"}[t.at == 1], with)
		switch {
		case t.at == 0 && t.all == 1:
			continue // its own verdict says so
		case t.all == 1:
			text = t.path + " runs at its ceiling" + with
		case t.at == t.all:
			text = fmt.Sprintf("%s directions of %s run at their ceiling%s", map[bool]string{true: "Both", false: fmt.Sprintf("All %d", t.all)}[t.all == 2], clean(name), with)
		}
		text += " (the low end of the " + intervalName(t.worst.Goodput) + " is within 3 % of it)"
		if t.at < t.all {
			text += fmt.Sprintf("; the furthest from it is %s, %s of %s (%s)", t.path, rate(t.worst.Goodput.Median), ceilingText(t.worst.E), spread(t.worst.Goodput))
		}
		out = append(out, keyFinding{KeyFinding: record.KeyFinding{Text: text + ".", Metric: "goodput"}, strength: physics, about: t.about})
	}
	return out
}
