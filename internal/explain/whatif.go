package explain

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// WhatIf asks of every experiment of a run that has its verdicts what would come next if something was otherwise: its chain is built
// again through the plan with the change, what the run measured of windows and processors is reckoned on, and the verdict says what stays.
// plans are those of Variants; only, if not empty, is the one experiment that is asked for.
func WhatIf(plans []*plan.Plan, r *record.Run, read func(name string) ([]byte, error), change record.Change, only string) *record.WhatIf {
	return whatIf(plans, r, newLoader(read), change, only)
}

func whatIf(plans []*plan.Plan, r *record.Run, l loader, change record.Change, only string) *record.WhatIf {
	out := &record.WhatIf{Run: r.ID, Change: change, Experiments: []record.WhatIfOne{}, NotAsked: []record.WhatIfLeft{}, Problems: []record.WhatIfProblem{}}
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
		now := planOf(plans[0], by, e)
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

// ask asks the question of one experiment; why it cannot be asked, else.
func ask(r *record.Run, e *record.Experiment, now, otherwise *plan.Plan, l loader, change record.Change) (x *record.WhatIfOne, why string) {
	shotsOf := func(ends []record.End) map[string]Shots {
		shots := map[string]Shots{}
		for _, end := range ends {
			shots[end.Host] = l.shots(end.Host, e.ID, r.Other(e.Variant))
		}
		return shots
	}
	var all []*question // one, or one a flow
	var ways []plan.Path
	for _, one := range flowsOf(e) {
		way, ok := plan.Path{}, false
		if len(one.Ends) >= 2 {
			way, ok = pathOf(now, one)
		}
		if !ok {
			return nil, "its path is not in the plan"
		}
		then, ok := pathOf(otherwise, one)
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

// notAsked is why the question cannot be asked of an experiment; empty: it can.
func notAsked(e *record.Experiment, change record.Change) string {
	switch {
	case e.NotRun != "":
		return "it was not run"
	case e.Failed != "":
		return "it failed"
	case e.Method != "stream" || e.Goodput == nil:
		return "it measured no throughput"
	case e.Settings["transport"] == "udp" && (change.RTT > 0 || change.Window > 0):
		return "over UDP nothing waits for a window or a round trip"
	case change.Drive > 0 && !fromDrive(e):
		return "it reads no drive: its data are made in memory"
	case e.Goodput.Median <= 0 || len(e.Repeats) == 0:
		return "it carried nothing"
	}
	return ""
}

// fromDrive says whether what an experiment sends is a file.
func fromDrive(e *record.Experiment) bool {
	return e.Settings["source"] != "" || e.InEffect["source"] != ""
}

// ReadsDrive says whether an experiment of the run sends a file, so that a drive is on its path; only is the one that is asked for.
func ReadsDrive(r *record.Run, only string) bool {
	return slices.ContainsFunc(r.Experiments, func(e *record.Experiment) bool { return (only == "" || e.Name == only) && fromDrive(e) })
}

// newProblems adds what the plan with the change finds wrong, and did not without it.
func newProblems(out *record.WhatIf, before, after *plan.Plan) {
	had := map[string]bool{}
	key := func(p record.Problem) string { return p.ID + "\x00" + p.Subject + "\x00" + p.Message }
	for _, p := range before.Problems {
		had[key(p)] = true
	}
	for _, p := range after.Serious() {
		x := record.WhatIfProblem{ID: p.ID, Severity: fmt.Sprint(p.Severity), Subject: p.Subject, Message: p.Message, Fix: p.Fix}
		if !had[key(p)] && !slices.Contains(out.Problems, x) {
			out.Problems = append(out.Problems, x)
		}
	}
}

// question is one experiment with what is asked of it.
type question struct {
	*Case
	run     *record.Run
	change  record.Change
	way     plan.Path
	streams int  // as measured
	duplex  bool // other flows fill the other direction

	packets [2]float64 // payload bytes of a full packet, before and after
	ceil    []record.NextCeiling
	unknown []lack
	blind   bool // something that may be the lowest is not known
}

func newQuestion(r *record.Run, e *record.Experiment, way plan.Path, shots map[string]Shots, change record.Change) *question {
	q := &question{Case: newCase(e, nil, way, shots, r.Lab != nil), run: r, change: change, way: way, streams: 1}
	q.Goodput = e.Goodput.Median // of both directions together where both are asked for, as the chain is
	if n, err := strconv.Atoi(e.Settings["streams"]); err == nil && n > 0 {
		q.streams = n
	}
	return q
}

// then is how many streams there would be.
func (q *question) then() int {
	if q.change.Streams > 0 {
		return q.change.Streams
	}
	return q.streams
}

// answer is what would come next on the path as it would then be planned.
func (q *question) answer(then plan.Path) record.WhatIfOne {
	e := q.Exp
	out := record.WhatIfOne{ID: e.ID, Name: e.Name, Path: e.Path(), Direction: e.Direction, Variant: e.Variant, Settings: e.Settings, Goodput: *e.Goodput}
	if e.Verdict != nil {
		out.Limiter = e.Verdict.Limiter
	}
	chain := q.hops(then)
	q.processors()
	q.windows()
	q.drive()
	out.Stays = q.today(out.Limiter)
	out.Measured = q.alike()
	sort.SliceStable(q.ceil, func(i, j int) bool {
		if a, b := floor(q.ceil[i]), floor(q.ceil[j]); a != b {
			return a < b
		}
		return roof(q.ceil[i]) < roof(q.ceil[j])
	})
	out.Ceilings, out.Unknown = q.ceil, q.unknowns()
	out.Predicted = q.predicted(out.Limiter, chain)
	out.Sentence = q.sentence(out)
	return out
}

// misread are the verdicts that say that the figure is none of the planned path: nothing follows from it.
var misread = []string{aboveCeiling.ID, wrongNIC.ID, duplicateSubnet.ID}

// predicted is between the lowest that may hold and what certainly does; never above a ceiling.
func (q *question) predicted(limiter string, chain float64) *record.Band {
	if slices.Contains(misread, limiter) || chain <= 0 {
		return nil
	}
	out := &record.Band{}
	for _, c := range q.ceil {
		if c.High != nil && (out.High == nil || *c.High < *out.High) {
			out.High = ptr(*c.High)
		}
		if c.Low != nil && (out.Low == nil || *c.Low < *out.Low) {
			out.Low = ptr(*c.Low)
		}
	}
	if q.blind { // at least what was carried, less what the change itself takes away
		if least := q.Goodput * q.least(); out.Low == nil || least < *out.Low {
			out.Low = ptr(least)
		}
	}
	if out.Low != nil && out.High != nil && *out.Low > *out.High {
		out.Low = ptr(*out.High)
	}
	return out
}

// least is the share of today's goodput that is left for sure where only what grows with packets and connections is known.
func (q *question) least() float64 {
	return min(1, q.packets[1]/q.packets[0]) * min(1, float64(q.then())/float64(q.streams))
}

// alike is what the run measured with the change itself, nil if it did not.
func (q *question) alike() *record.WhatIfMeasured {
	c := q.change
	if c.MTU == 0 && c.Streams == 0 || len(c.Slots) > 0 || c.Rate > 0 || c.RTT > 0 || c.Window > 0 || c.Drive > 0 {
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
		if x != q.Exp && x.Name == want.Name && x.Method == want.Method && x.From == want.From && x.To == want.To && x.Variant == want.Variant &&
			x.Direction == want.Direction && x.Goodput != nil && x.Failed == "" && alike(x, &want) {
			return &record.WhatIfMeasured{ID: x.ID, Goodput: *x.Goodput}
		}
	}
	return nil
}

// lack is why ceilings of some components are not known.
type lack struct {
	components []string
	why        string
}

// lacks notes that a component's ceiling is not known, those with one reason together.
func (q *question) lacks(component, why string) {
	for i := range q.unknown {
		if q.unknown[i].why == why {
			q.unknown[i].components = append(q.unknown[i].components, component)
			return
		}
	}
	q.unknown = append(q.unknown, lack{[]string{component}, why})
}

func (q *question) unknowns() []string {
	out := []string{}
	for _, u := range q.unknown {
		out = append(out, strings.Join(u.components, ", ")+": "+u.why)
	}
	return out
}

// add puts a ceiling to the others.
func (q *question) add(c record.NextCeiling) {
	if c.High != nil && !(*c.High > 0) || c.Low != nil && !(*c.Low >= 0) {
		return
	}
	q.ceil = append(q.ceil, c)
}

func band(low, high float64) record.Band {
	return record.Band{Low: ptr(min(low, high)), High: ptr(high)}
}

// between is a band in words: "9.90 Gb/s", "9.12 to 9.90 Gb/s", "9.12 Gb/s or more".
func between(b record.Band) string {
	switch {
	case b.Low == nil && b.High == nil:
		return "not known"
	case b.Low == nil:
		return "at most " + rate(*b.High)
	case b.High == nil:
		return rate(*b.Low) + " or more"
	}
	low, high := rate(*b.Low), rate(*b.High)
	if *b.High <= 1.01**b.Low || low == high {
		return "about " + high
	}
	number, suffix, _ := strings.Cut(low, " ")
	if strings.HasSuffix(high, " "+suffix) {
		low = number
	}
	return low + " to " + high
}

// near5 says whether two rates are within 5 %, which is nearer than most repeats are to each other.
func near5(a, b float64) bool { return b <= a*1.05 && a <= b*1.05 }
