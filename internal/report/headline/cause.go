package headline

import (
	"math"
	"sort"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// Cause is a verdict with the experiments that have it.
type Cause struct {
	Verdict *record.Verdict
	All     []*record.Experiment
	Worst   *record.Experiment // the one with the lowest share
	share   float64            // the lowest of them, of what the plan allows; not known: more than any
	aside   bool               // of a lab's storage: it leads no report
}

// Causes returns the verdicts that need an explanation, worst first. Those with the same sentence and fix are one.
func Causes(r *record.Run) []Cause {
	index := map[string]int{}
	var out []Cause
	for _, e := range r.Experiments {
		v := e.Verdict
		if v == nil || result.Healthy(v) || e.NotRun != "" || (e.Failed != "" || method.Named(e.Method).RoundTrips) &&
			(v.Limiter == record.LimiterUnknown || v.Limiter == "") {
			continue
		}
		key := strings.Join([]string{v.Limiter, v.Component, v.Sentence, v.Fix}, "\x00")
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, Cause{Verdict: v, Worst: e, share: math.Inf(1), aside: r.LabStorage(e)})
		}
		if of, known := e.Share(); known && of < out[i].share {
			out[i].share, out[i].Worst = of, e
		}
		out[i].All = append(out[i].All, e)
	}
	sort.SliceStable(out, func(a, b int) bool {
		if out[a].aside != out[b].aside {
			return out[b].aside
		}
		return out[a].share < out[b].share
	})
	return out
}

// below is the share of the ceiling below which a path is slow enough to lead a report, though the answer does not
// begin with it.
const below = 0.95

// leading returns the cause among those of a run that the answer begins with, and the rest of the answer. Where it
// begins with none, that is the worst slow path's; nil: no path is slow.
func leading(r *record.Run, causes []Cause) (lead *Cause, more string, begins bool) {
	answer := answer(r)
	if r.SlowNode != nil {
		answer = strings.TrimSpace(strings.TrimPrefix(answer, format.Clean(r.SlowNode.Sentence)))
	}
	for i := range causes {
		s := strings.TrimSuffix(format.Clean(causes[i].Verdict.Sentence), ".")
		if rest, ok := strings.CutPrefix(answer, s); ok && s != "" {
			return &causes[i], strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(rest, " (likely)"), ".")), true
		}
	}
	if len(causes) == 0 {
		return nil, "", false
	}
	c := &causes[0]
	if of, known := c.Worst.Share(); known && of < below && !NoisyLab(r, c.Worst) && method.Named(c.Worst.Method).Bulk {
		return c, "", false
	}
	return nil, "", false
}

// NoisyLab reports whether other work took CPU time from an experiment of a lab, so that its figure says nothing of a
// network.
func NoisyLab(r *record.Run, e *record.Experiment) bool {
	n := xslices.Count(e.Repeats, func(p record.Repeat) bool { return p.Noisy })
	return r.Lab != nil && n > 0 && 2*n >= len(e.Repeats)
}
