package explain

import (
	"fmt"
	"slices"

	"linerate/internal/record"
)

// group gives the verdict on flows that ran at once: the sum against what their shared links allow. The causes that lie
// in one connection are left to the flows by themselves, because counters around a group are of all its flows.
func group(e *record.Experiment, all tables, shots func(host string) Shots, lab bool) *record.Verdict {
	if e.Goodput == nil {
		return nil
	}
	c := &Case{Exp: e, Chain: e.Ceiling, Lab: lab, Goodput: e.Goodput.Median, Sender: Side{Host: e.From}, Receiver: Side{Host: e.To}}
	if e.Ceiling != nil {
		c.Ceiling = float64(e.Ceiling.Limit)
	}
	if len(e.Repeats) > 0 {
		c.Repeat = &e.Repeats[len(e.Repeats)-1]
	}
	v := judge(c, slices.DeleteFunc(slices.Clone(all.causes), func(cause Cause) bool { return cause.ID != aboveCeiling.ID && cause.ID != link.ID }))
	v.Unknown = nil
	seen := map[string]bool{}
	for _, end := range e.Ends {
		if s := shots(end.Host); !seen[end.Host] && (s.Before == nil || s.After == nil) {
			v.Unknown = append(v.Unknown, end.Host+": its counters around the measurement were not read")
		}
		seen[end.Host] = true
	}
	if v.Limiter == Unexplained {
		if f := Slowest(e); f != nil {
			v.Sentence += fmt.Sprintf(" The slowest flow is %s -> %s with %s.", f.From, f.To, rate(f.Goodput.Median))
		}
	}
	return v
}

// Slowest is the flow of a group that carries least, nil if none was measured.
func Slowest(e *record.Experiment) *record.Flow {
	var low *record.Flow
	for i := range e.Flows {
		f := &e.Flows[i]
		if f.Goodput != nil && (low == nil || f.Goodput.Median < low.Goodput.Median) {
			low = f
		}
	}
	return low
}
