package report

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// groupView is the table of the flows of one cell of a group.
type groupView struct {
	Caption string
	Rows    []flowRow
}

type flowRow struct {
	Flow, Goodput, Spread, Share, Streams, First, FromCPU, ToCPU string
	Slowest                                                      bool
}

// groups prints a line under the table for every group: how its flows share the sum, and how nearly they began together.
func (l *lines) groups(rows []row) {
	for _, w := range rows {
		if w.Pattern == "" {
			continue
		}
		if s := groupText(w.main()); s != "" {
			l.text(normal, 2, w.path()+": "+s)
		}
	}
}

// groupText says how the flows of a cell share what they get.
func groupText(c cell) string {
	low, high := slowest(c.E), fastest(c.E)
	if low == nil {
		return ""
	}
	s := fmt.Sprintf("%d flows of %s", len(c.E.Flows), rate(low.Goodput.Median))
	if a, b := rate(low.Goodput.Median), rate(high.Goodput.Median); a != b {
		s = fmt.Sprintf("%d flows of %s to %s, the slowest %s", len(c.E.Flows), a, b, flowName(*low))
	}
	if label := c.label(); label != "" {
		s += " (" + label + ")"
	}
	if f := c.E.Fairness; f != nil {
		s += "; " + fairText(f)
	}
	if skew, ok := skew(c.E); ok {
		s += "; first bytes within " + seconds(skew)
	}
	return s
}

// fairText is how evenly streams share, in words.
func fairText(f *record.Fairness) string {
	return fmt.Sprintf("%d streams of %s to %s, Jain's index %.2f", f.Streams, rate(f.Low), rate(f.High), f.Jain)
}

// skew is the largest of all repeats.
func skew(e *record.Experiment) (float64, bool) {
	most := 0.0
	for _, r := range e.Repeats {
		most = max(most, r.Skew)
	}
	return most, len(e.Repeats) > 0
}

func flowName(f record.Flow) string { return clean(f.From) + " -> " + clean(f.To) }

func slowest(e *record.Experiment) *record.Flow {
	return extreme(e, func(a, b float64) bool { return a < b })
}
func fastest(e *record.Experiment) *record.Flow {
	return extreme(e, func(a, b float64) bool { return a > b })
}

func extreme(e *record.Experiment, better func(a, b float64) bool) *record.Flow {
	var best *record.Flow
	for i := range e.Flows {
		f := &e.Flows[i]
		if f.Goodput != nil && (best == nil || better(f.Goodput.Median, best.Goodput.Median)) {
			best = f
		}
	}
	return best
}

// groupViews is a table of flows for every cell of a row.
func groupViews(w row) []groupView {
	if w.Pattern == "" {
		return nil
	}
	var out []groupView
	for _, c := range w.Cells {
		v := groupView{Caption: "The flows, all at once"}
		if s := groupText(c); s != "" {
			v.Caption += ": " + arrows(s)
		}
		low := slowest(c.E)
		for i := range c.E.Flows {
			v.Rows = append(v.Rows, rowOf(c.E, i, low == &c.E.Flows[i] && len(c.E.Flows) > 1))
		}
		out = append(out, v)
	}
	return out
}

func rowOf(e *record.Experiment, i int, isSlowest bool) flowRow {
	f := e.Flows[i]
	r := flowRow{Flow: arrows(flowName(f)), Goodput: notKnown, Spread: notKnown, Share: notKnown, First: notKnown, FromCPU: notKnown, ToCPU: notKnown,
		Streams: fmt.Sprint(f.Streams), Slowest: isSlowest}
	if e.Direction == "in" {
		r.Flow = arrows(clean(f.To) + " -> " + clean(f.From))
	}
	if f.Goodput != nil {
		r.Goodput, r.Spread = rate(f.Goodput.Median), spread(f.Goodput)
		if a, b := f.Forward, f.Backward; a != nil && b != nil {
			r.Goodput += " (" + rate(a.Median) + " and back " + rate(b.Median) + ")"
		}
		if e.Goodput != nil && e.Goodput.Median > 0 {
			r.Share = unit.Percent(f.Goodput.Median / e.Goodput.Median)
		}
	}
	if f.Failed != "" {
		r.Goodput += ", failed: " + clean(f.Failed)
	}
	first := -1.0
	for _, p := range e.Repeats {
		if i < len(p.Flows) {
			first = max(first, p.Flows[i].First)
		}
	}
	if first >= 0 {
		r.First = seconds(first)
	}
	from, to := f.From, f.To
	if e.Direction == "in" {
		from, to = to, from
	}
	if b := busy(e.CPU, from); b >= 0 {
		r.FromCPU = unit.Significant(b)
	}
	if b := busy(e.CPU, to); b >= 0 {
		r.ToCPU = unit.Significant(b)
	}
	return r
}
