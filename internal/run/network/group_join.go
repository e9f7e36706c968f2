package network

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// receiver is a receiving end of a flow, with its outcome on the controller's clock.
type receiver struct {
	flow     int
	backward bool
	outcome  *traffic.Outcome
	offset   int64
}

// joinGroup combines the results of all ends, in the interval that all receivers share: from the latest first cut to
// the earliest last one, on the controller's clock.
func joinGroup(s Spec, pairs []*flow, here *traffic.Work) (record.Repeat, error) {
	r := record.Repeat{Flows: make([]record.FlowRepeat, len(pairs))}
	var all []receiver
	for i, f := range pairs {
		if f.failed != nil {
			r.Flows[i].Failed = f.failed.Error()
			continue
		}
		received, err := engineOf(f.spec.Method).joinFlow(&r, i, f)
		if err != nil {
			return r, fmt.Errorf("%s -> %s: %w", f.from.Host, f.to.Host, err)
		}
		all = append(all, received...)
	}
	if len(all) == 0 {
		return r, nil
	}
	if err := inSharedInterval(&r, s, all); err != nil {
		return r, err
	}
	var ends []*remote.End
	for _, f := range pairs {
		if f.failed == nil {
			ends = append(ends, f.ends()...)
		}
	}
	remote.JoinCPU(&r, ends, here, false)
	return r, nil
}

// addFlow adds the streams of a flow and the warnings of its ends to a repeat.
func addFlow(r *record.Repeat, i int, f *flow, streams []record.Stream) {
	for _, st := range streams {
		st.Flow, st.Index = i, f.firstStream+st.Index
		r.Streams = append(r.Streams, st)
	}
	for _, e := range f.ends() {
		if e.Note != "" {
			r.Warnings = append(r.Warnings, e.Note)
		}
		for _, w := range e.Outcome.Warnings {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%s: %s (%s -> %s)", e.Host, w, f.from.Host, f.to.Host))
		}
	}
}

// inSharedInterval fills in goodput, series and release skew.
func inSharedInterval(r *record.Repeat, s Spec, all []receiver) error {
	start, end := all[0].outcome.StartNS-all[0].offset, all[0].outcome.EndNS-all[0].offset
	first, last := int64(0), int64(0)
	rate := 0.0
	for _, x := range all {
		rate += x.outcome.Goodput / 8e9
		start, end = max(start, x.outcome.StartNS-x.offset), min(end, x.outcome.EndNS-x.offset)
		if x.outcome.FirstNS == 0 {
			continue
		}
		at := x.outcome.FirstNS - x.offset
		if first == 0 || at < first {
			first = at
		}
		if last == 0 || at > last {
			last = at
		}
	}
	if s.Amount > 0 {
		r.Skew = float64(last-first) / 1e9
		for _, x := range all {
			if x.outcome.FirstNS != 0 {
				f := &r.Flows[x.flow]
				f.First = max(f.First, float64(x.outcome.FirstNS-x.offset-first)/1e9)
			}
		}
		amounts(r, all)
		return nil
	}
	if at, ok := sharedEdge(all, rate, func(o *traffic.Outcome) []traffic.Mark { return o.Head }); ok {
		start = at
	}
	if at, ok := sharedEdge(all, rate, func(o *traffic.Outcome) []traffic.Mark { return o.Foot }); ok {
		end = at
	}
	if end <= start {
		return errors.New("the flows share no interval: their hosts' clocks or start moments are too far apart; " +
			"measure again")
	}
	r.Seconds, r.Slice, r.Skew = float64(end-start)/1e9, all[0].outcome.Slice, float64(last-first)/1e9
	if share := r.Seconds / s.Interval.Seconds(); share < 0.9 {
		r.Warnings = append(
			r.Warnings,
			fmt.Sprintf("all flows share only %v of the interval of %v", time.Duration(end-start).Round(time.Millisecond),
				s.Interval),
		)
	}
	for _, x := range all {
		goodput := x.outcome.Between(start+x.offset, end+x.offset)
		f := &r.Flows[x.flow]
		f.Goodput += goodput
		r.Goodput += goodput
		if x.outcome.FirstNS != 0 {
			f.First = max(f.First, float64(x.outcome.FirstNS-x.offset-first)/1e9)
		}
		if x.backward {
			f.Backward += goodput
			r.Backward += goodput
			r.SeriesIn = added(r.SeriesIn, x.outcome.Series)
		} else {
			f.Forward += goodput
			r.Forward += goodput
			r.SeriesOut = added(r.SeriesOut, x.outcome.Series)
		}
	}
	return nil
}

// sharedEdge is the time, on the controller's clock, at which the receivers together were least late, among those near
// one edge of the interval at which all of them know what they had received. rate is of all, in bytes a nanosecond.
func sharedEdge(all []receiver, rate float64, edge func(*traffic.Outcome) []traffic.Mark) (int64, bool) {
	from, until := int64(math.MinInt64), int64(math.MaxInt64)
	var steps []traffic.Mark
	base := int64(0)
	for _, x := range all {
		marks := edge(x.outcome)
		if len(marks) < 2 {
			continue // it received nothing
		}
		from, until = max(from, marks[0].NS-x.offset), min(until, marks[len(marks)-1].NS-x.offset)
		base += marks[0].Bytes
		for i, m := range marks[1:] {
			steps = append(steps, traffic.Mark{NS: m.NS - x.offset, Bytes: m.Bytes - marks[i].Bytes})
		}
	}
	slices.SortStableFunc(steps, func(a, b traffic.Mark) int { return cmp.Compare(a.NS, b.NS) })
	var sums []traffic.Mark
	for _, m := range steps {
		base += m.Bytes
		if m.NS >= from && m.NS <= until {
			sums = append(sums, traffic.Mark{NS: m.NS, Bytes: base})
		}
	}
	if len(sums) == 0 {
		return 0, false
	}
	return traffic.LeastLate(sums, rate).NS, true
}

// merged combines what was in effect in several flows: every value of a key once.
func merged(all, one map[string]string) map[string]string {
	if all == nil {
		return one
	}
	for k, v := range one {
		if v != all[k] && !slices.Contains(strings.Split(all[k], "; "), v) {
			all[k] = strings.TrimPrefix(all[k]+"; "+v, "; ")
		}
	}
	return all
}

// addedCounts is the sum of two series of counts, step by step.
func addedCounts(a, b []int64) []int64 {
	if len(a) < len(b) {
		a = append(a, make([]int64, len(b)-len(a))...)
	}
	for i, v := range b {
		a[i] += v
	}
	return a
}

// added is the sum of two series, step by step.
func added(a, b []float64) []float64 {
	if len(a) < len(b) {
		a = append(a, make([]float64, len(b)-len(a))...)
	}
	for i, v := range b {
		a[i] += v
	}
	return a
}
