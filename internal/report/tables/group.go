package tables

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/chart"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// GroupView is the table of the flows of one combination of a group.
type GroupView struct {
	Caption string
	Rows    []flowRow
}

type flowRow struct {
	Flow, Goodput, Spread, Share, Streams, First, FromCPU, ToCPU string
	Slowest                                                      bool
}

// PrintGroups prints a line under the table for every group: how its flows share the sum, and the skew of their starts.
func PrintGroups(l *terminal.Lines, rows []result.Row) {
	for _, w := range rows {
		if w.Pattern == "" {
			continue
		}
		if s := groupText(w.Main()); s != "" {
			l.Text(terminal.Normal, 2, w.Path()+": "+s)
		}
	}
}

// groupText describes how the flows of a combination share the goodput.
func groupText(c result.Combination) string {
	low, high := slowest(c.E), fastest(c.E)
	if low == nil {
		return ""
	}
	s := fmt.Sprintf("%d flows of %s", len(c.E.Flows), format.Rate(low.Goodput.Median))
	if a, b := format.Rate(low.Goodput.Median), format.Rate(high.Goodput.Median); a != b {
		s = fmt.Sprintf("%d flows of %s to %s, the slowest %s", len(c.E.Flows), a, b, flowName(*low))
	}
	if label := c.Label(); label != "" {
		s += " (" + label + ")"
	}
	if f := c.E.Fairness; f != nil {
		s += "; " + fairText(f)
	}
	if skew, ok := skew(c.E); ok {
		s += "; first bytes within " + format.Seconds(skew)
	}
	return s
}

// fairText describes how evenly streams share.
func fairText(f *record.Fairness) string {
	return fmt.Sprintf("%d streams of %s to %s, Jain's index %.2f", f.Streams, format.Rate(f.Low), format.Rate(f.High),
		f.Jain)
}

// skew returns the largest skew of all repeats.
func skew(e *record.Experiment) (float64, bool) {
	most := 0.0
	for _, r := range e.Repeats {
		most = max(most, r.Skew)
	}
	return most, len(e.Repeats) > 0
}

func flowName(f record.Flow) string { return format.Clean(f.From) + " -> " + format.Clean(f.To) }

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

// GroupViews returns a table of flows for every combination of a row.
func GroupViews(w result.Row) []GroupView {
	if w.Pattern == "" {
		return nil
	}
	var out []GroupView
	for _, c := range w.Combinations {
		v := GroupView{Caption: "The flows, all at once"}
		if s := groupText(c); s != "" {
			v.Caption += ": " + format.Arrows(s)
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
	r := flowRow{Flow: format.Arrows(flowName(f)), Goodput: format.NotKnown, Spread: format.NotKnown,
		Share: format.NotKnown, First: format.NotKnown, FromCPU: format.NotKnown, ToCPU: format.NotKnown,
		Streams: fmt.Sprint(f.Streams), Slowest: isSlowest}
	if e.Direction == "in" {
		r.Flow = format.Arrows(format.Clean(f.To) + " -> " + format.Clean(f.From))
	}
	if f.Goodput != nil {
		r.Goodput, r.Spread = format.Rate(f.Goodput.Median), format.Spread(f.Goodput)
		if a, b := f.Forward, f.Backward; a != nil && b != nil {
			r.Goodput += " (" + format.Rate(a.Median) + " and back " + format.Rate(b.Median) + ")"
		}
		if e.Goodput != nil && e.Goodput.Median > 0 {
			r.Share = unit.Percent(f.Goodput.Median / e.Goodput.Median)
		}
	}
	if f.Failed != "" {
		r.Goodput += ", failed: " + format.Clean(f.Failed)
	}
	first := -1.0
	for _, p := range e.Repeats {
		if i < len(p.Flows) {
			first = max(first, p.Flows[i].First)
		}
	}
	if first >= 0 {
		r.First = format.Seconds(first)
	}
	from, to := f.From, f.To
	if e.Direction == "in" {
		from, to = to, from
	}
	if b := chart.Busy(e.CPU, from); b >= 0 {
		r.FromCPU = unit.Significant(b)
	}
	if b := chart.Busy(e.CPU, to); b >= 0 {
		r.ToCPU = unit.Significant(b)
	}
	return r
}
