package whatif

import (
	"fmt"
	"linerate/internal/base/xslices"
	"linerate/internal/explain/cause/address"
	"slices"
	"sort"
	"strconv"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/design/plan"
	"linerate/internal/explain/cause"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// Answer predicts every experiment of an explained run with a change. It builds the chain again from the plan with the
// change, extrapolates the measured TCP windows and CPUs, and takes from the verdict what stays. plans are those of
// Variants. only, if not empty, is the single experiment to predict.
func Answer(plans []*plan.Plan, r *record.Run, read func(name string) ([]byte, error), change record.Change,
	only string) *record.WhatIf {
	return AnswerFrom(plans, r, judge.NewLoader(read), change, only)
}

// AnswerFrom is Answer with the snapshots of a loader.
func AnswerFrom(plans []*plan.Plan, r *record.Run, l judge.Loader, change record.Change, only string) *record.WhatIf {
	out := &record.WhatIf{Run: r.ID, Change: change, Experiments: []record.WhatIfOne{}, NotAsked: []record.WhatIfLeft{},
		Problems: []record.WhatIfProblem{}}
	by, otherwise := map[string]*plan.Plan{}, map[*plan.Plan]*plan.Plan{}
	for _, p := range plans {
		by[p.Variant] = p
		otherwise[p] = changedPlan(p, change)
		newProblems(out, p, otherwise[p])
	}
	left := map[[2]string]int{}
	for _, e := range r.Experiments {
		if only != "" && e.Name != only {
			continue
		}
		now := judge.PlanOf(plans[0], by, e)
		why := notAsked(e, change)
		if why == "" {
			var x *record.WhatIfOne
			if x, why = ask(r, e, now, otherwise[now], l, change); why == "" {
				out.Experiments = append(out.Experiments, *x)
				continue
			}
		}
		key := [2]string{e.Name, why}
		if left[key]++; left[key] == 1 {
			out.NotAsked = append(out.NotAsked, record.WhatIfLeft{Name: e.Name, Reason: why})
		}
	}
	for i, x := range out.NotAsked {
		out.NotAsked[i].Count = left[[2]string{x.Name, x.Reason}]
	}
	return out
}

// ask answers the question for one experiment, or returns why it cannot be answered.
func ask(r *record.Run, e *record.Experiment, now, otherwise *plan.Plan, l judge.Loader,
	change record.Change) (x *record.WhatIfOne, why string) {
	shotsOf := func(ends []record.End) map[string]judge.Shots {
		shots := map[string]judge.Shots{}
		for _, end := range ends {
			shots[end.Host] = l.Shots(end.Host, e.ID, r.Other(e.Variant))
		}
		return shots
	}
	var all []*question // one, or one for each flow
	var ways []plan.Path
	for _, one := range flowsOf(e) {
		way, ok := plan.Path{}, false
		if len(one.Ends) >= 2 {
			way, ok = judge.PathOf(now, one)
		}
		if !ok {
			return nil, "its path is not in the plan"
		}
		then, ok := judge.PathOf(otherwise, one)
		if !ok {
			return nil, "with " + change.String() + " its path is not in the plan"
		}
		all, ways = append(all, newQuestion(r, one, way, shotsOf(one.Ends), change)), append(ways, then)
	}
	if len(all) == 0 {
		return nil, "its path is not in the plan"
	}
	already := true
	for i, q := range all {
		already = already && q.already(ways[i])
	}
	if already {
		return nil, "it has " + change.String() + " already"
	}
	if e.Pattern != "" {
		return groupAnswer(r, e, all, ways, change), ""
	}
	answer := all[0].answer(ways[0])
	return &answer, ""
}

// notAsked returns the reason why the question does not apply to an experiment; empty: it does.
func notAsked(e *record.Experiment, change record.Change) string {
	switch {
	case e.NotRun != "":
		return "it was not run"
	case e.Failed != "":
		return "it failed"
	case !method.Named(e.Method).Bulk || e.Goodput == nil:
		return "it measured no throughput"
	case e.Settings["transport"] == "udp" && (change.RTT > 0 || change.Interval > 0):
		return "over UDP nothing waits for a window or a round trip"
	case change.Drive > 0 && !fromDrive(e):
		return "it reads no drive: its data are made in memory"
	case e.Goodput.Median <= 0 || len(e.Repeats) == 0:
		return "it carried nothing"
	}
	return ""
}

// fromDrive reports whether an experiment sends a file.
func fromDrive(e *record.Experiment) bool {
	return e.Settings["source"] != "" || e.InEffect["source"] != ""
}

// ReadsDrive reports whether an experiment of the run sends a file, so that a drive is on its path; only, if not empty,
// is the single experiment of the question.
func ReadsDrive(r *record.Run, only string) bool {
	return slices.ContainsFunc(r.Experiments, func(e *record.Experiment) bool {
		return (only == "" || e.Name == only) &&
			fromDrive(e)
	})
}

// newProblems adds the problems that the plan has only with the change.
func newProblems(out *record.WhatIf, before, after *plan.Plan) {
	key := func(p record.Problem) string { return p.ID + "\x00" + p.Subject + "\x00" + p.Message }
	had := xslices.SetOf(before.Problems, key)
	for _, p := range after.Serious() {
		x := record.WhatIfProblem{ID: p.ID, Severity: fmt.Sprint(p.Severity), Subject: p.Subject, Message: p.Message,
			Fix: p.Fix}
		if !had[key(p)] && !slices.Contains(out.Problems, x) {
			out.Problems = append(out.Problems, x)
		}
	}
}

// question is one experiment with the change to predict.
type question struct {
	*judge.Case
	run     *record.Run
	change  record.Change
	way     plan.Path
	streams int  // as measured
	duplex  bool // other flows fill the reverse direction

	packets [2]float64 // payload bytes of a full packet, before and after
	ceil    []record.NextCeiling
	unknown []missing
	blind   bool // a ceiling that may be the lowest is not known
}

func newQuestion(r *record.Run, e *record.Experiment, way plan.Path, shots map[string]judge.Shots,
	change record.Change) *question {
	q := &question{Case: judge.NewCase(e, nil, way, shots, r.Lab != nil), run: r, change: change, way: way, streams: 1}
	q.Goodput = e.Goodput.Median // of both directions together where the experiment has both, as for the chain
	if n, err := strconv.Atoi(e.Settings["streams"]); err == nil && n > 0 {
		q.streams = n
	}
	return q
}

// then returns the number of streams with the change.
func (q *question) then() int {
	if q.change.Streams > 0 {
		return q.change.Streams
	}
	return q.streams
}

// answer returns the prediction for the path as planned with the change.
func (q *question) answer(then plan.Path) record.WhatIfOne {
	e := q.Exp
	out := record.WhatIfOne{ID: e.ID, Name: e.Name, Path: e.Path(), Direction: e.Direction, Variant: e.Variant,
		Settings: e.Settings, Goodput: *e.Goodput}
	if e.Verdict != nil {
		out.Limiter = e.Verdict.Limiter
	}
	chain := q.hops(then)
	q.cpus()
	q.tcpWindows()
	q.drive()
	out.Stays = q.today(out.Limiter)
	out.Measured = q.alike()
	sort.SliceStable(q.ceil, func(i, j int) bool {
		if a, b := q.ceil[i].Floor(), q.ceil[j].Floor(); a != b {
			return a < b
		}
		return roof(q.ceil[i]) < roof(q.ceil[j])
	})
	out.Ceilings, out.Unknown = q.ceil, q.unknowns()
	out.Predicted = q.predicted(out.Limiter, chain)
	out.Sentence = q.sentence(out)
	return out
}

// misread are the verdicts that the figure is not one of the planned path, so that nothing follows from it.
var misread = []string{cause.AboveCeiling.ID, address.WrongNIC.ID, address.DuplicateSubnet.ID}

// predicted returns the range from the lowest possible ceiling to the lowest certain one.
func (q *question) predicted(limiter string, chain float64) *record.Band {
	if slices.Contains(misread, limiter) || chain <= 0 {
		return nil
	}
	out := &record.Band{}
	for _, c := range q.ceil {
		if c.High != nil && (out.High == nil || *c.High < *out.High) {
			out.High = new(*c.High)
		}
		if c.Low != nil && (out.Low == nil || *c.Low < *out.Low) {
			out.Low = new(*c.Low)
		}
	}
	if q.blind { // at least the measured goodput, less the effect of the change
		if least := q.Goodput * q.least(); out.Low == nil || least < *out.Low {
			out.Low = new(least)
		}
	}
	if out.Low != nil && out.High != nil && *out.Low > *out.High {
		out.Low = new(*out.High)
	}
	return out
}

// least returns the certain share of the present goodput, where only the effects of packet size and connections are
// known.
func (q *question) least() float64 {
	return min(1, q.packets[1]/q.packets[0]) * min(1, float64(q.then())/float64(q.streams))
}

// alike returns what the run measured with the same change, nil if it did not.
func (q *question) alike() *record.WhatIfMeasured {
	c := q.change
	if c.MTU == 0 && c.Streams == 0 || len(c.Slots) > 0 || c.Rate > 0 || c.RTT > 0 || c.Interval > 0 || c.Drive > 0 {
		return nil
	}
	want := *q.Exp
	want.Settings = map[string]string{}
	for k, v := range q.Exp.Settings {
		want.Settings[k] = v
	}
	if c.MTU > 0 {
		want.Settings["mtu"] = strconv.Itoa(c.MTU)
	}
	if c.Streams > 0 {
		want.Settings["streams"] = strconv.Itoa(c.Streams)
	}
	for _, x := range q.run.Experiments {
		if x != q.Exp && x.Name == want.Name && x.Method == want.Method && x.From == want.From && x.To == want.To &&
			x.Variant == want.Variant &&
			x.Direction == want.Direction && x.Goodput != nil && x.Failed == "" && judge.Alike(x, &want) {
			return &record.WhatIfMeasured{ID: x.ID, Goodput: *x.Goodput}
		}
	}
	return nil
}

// missing is the reason why the ceilings of some components are not known.
type missing struct {
	components []string
	why        string
}

// missing records that a component's ceiling is not known. Components with the same reason are grouped.
func (q *question) missing(component, why string) {
	for i := range q.unknown {
		if q.unknown[i].why == why {
			q.unknown[i].components = append(q.unknown[i].components, component)
			return
		}
	}
	q.unknown = append(q.unknown, missing{[]string{component}, why})
}

func (q *question) unknowns() []string {
	out := []string{}
	for _, u := range q.unknown {
		out = append(out, strings.Join(u.components, ", ")+": "+u.why)
	}
	return out
}

// add adds a ceiling.
func (q *question) add(c record.NextCeiling) {
	if c.High != nil && !(*c.High > 0) || c.Low != nil && !(*c.Low >= 0) {
		return
	}
	q.ceil = append(q.ceil, c)
}

func band(low, high float64) record.Band {
	return record.Band{Low: new(min(low, high)), High: new(high)}
}

// between formats a band: "9.90 Gb/s", "9.12 to 9.90 Gb/s", "9.12 Gb/s or more".
func between(b record.Band) string {
	switch {
	case b.Low == nil && b.High == nil:
		return "not known"
	case b.Low == nil:
		return "at most " + judge.Rate(*b.High)
	case b.High == nil:
		return judge.Rate(*b.Low) + " or more"
	}
	low, high := judge.Rate(*b.Low), judge.Rate(*b.High)
	if *b.High <= 1.01**b.Low || low == high {
		return "about " + high
	}
	number, suffix, _ := strings.Cut(low, " ")
	if strings.HasSuffix(high, " "+suffix) {
		low = number
	}
	return low + " to " + high
}

// near5 reports whether two rates are within 5 %, which is closer than most repeats are.
func near5(a, b float64) bool { return b <= a*1.05 && a <= b*1.05 }
