package explain

import (
	"fmt"

	"linerate/internal/explain/cause"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// group returns the verdict on concurrent flows: it compares their sum with the ceiling of their shared links. Causes
// within one connection are not judged for a group, because its counters cover all flows.
func group(e *record.Experiment, all cause.Tables, shots func(host string) judge.Shots, lab bool) *record.Verdict {
	if e.Goodput == nil {
		return nil
	}
	c := &judge.Case{Exp: e, Chain: e.Ceiling, Lab: lab, Goodput: e.Goodput.Median, Sender: judge.Side{Host: e.From},
		Receiver: judge.Side{Host: e.To}}
	if e.Ceiling != nil {
		c.Ceiling = float64(e.Ceiling.Limit)
	}
	if len(e.Repeats) > 0 {
		c.Repeat = &e.Repeats[len(e.Repeats)-1]
	}
	v := cause.Verdict(c, all)
	v.Unknown = nil
	seen := map[string]bool{}
	for _, end := range e.Ends {
		if s := shots(end.Host); !seen[end.Host] && (s.Before == nil || s.After == nil) {
			v.Unknown = append(v.Unknown, end.Host+": its counters around the measurement were not read")
		}
		seen[end.Host] = true
	}
	if v.Limiter == record.LimiterUnexplained {
		if n := slowOfGroup(e); n != nil {
			v.Sentence += " " + n.Sentence
		} else if f := Slowest(e); f != nil {
			v.Sentence += fmt.Sprintf(" The slowest flow is %s -> %s with %s.", f.From, f.To, judge.Rate(f.Goodput.Median))
		}
	}
	return v
}

// Slowest returns the slowest flow of a group, nil if none was measured.
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
