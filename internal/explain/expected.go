package explain

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"linerate/internal/design/plan"
	"linerate/internal/explain/judge"
	"linerate/internal/explain/whatif"
	"linerate/internal/record"
)

// gain is the factor by which a fix has to raise a figure, so that it is worth predicting.
const gain = 1.03

// expect predicts the goodput after each fix that whatif can change: so far, another MTU.
func (j *judging) expect() {
	answers := map[int]*record.WhatIf{}
	for _, e := range j.run.Experiments {
		if e.Verdict == nil || e.Goodput == nil || e.Failed != "" {
			continue
		}
		mtu := fixedMTU(e.Verdict.Fix)
		if mtu == 0 {
			continue
		}
		if answers[mtu] == nil {
			answers[mtu] = whatif.AnswerFrom(j.plans(), j.run, j.loader, record.Change{MTU: mtu}, "")
		}
		e.Verdict.Expected = expectedOf(e, answers[mtu])
	}
}

// plans are the plan of the run and those of its variants.
func (j *judging) plans() []*plan.Plan {
	out := []*plan.Plan{j.own}
	for _, name := range slices.Sorted(maps.Keys(j.variants)) {
		if p := j.variants[name]; p != j.own {
			out = append(out, p)
		}
	}
	return out
}

var mtuStep = regexp.MustCompile(`^ip (?:netns exec \S+ ip )?link set (?:dev )?\S+ mtu (\d+)$`)

// fixedMTU returns the MTU that the commands of a fix set; 0: none does, or they differ.
func fixedMTU(fix string) (mtu int) {
	for _, s := range record.StepsOf(fix) {
		m := mtuStep.FindStringSubmatch(s.Text)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil || mtu != 0 && n != mtu {
			return 0
		}
		mtu = n
	}
	return mtu
}

// expectedOf returns the predictions for an experiment and for those that differ from it only in the number of streams,
// by that number. It has none for the experiment itself: the list is then empty.
func expectedOf(e *record.Experiment, w *record.WhatIf) (out []record.Expected) {
	own := false
	for _, x := range w.Experiments {
		p := x.Predicted
		if x.Name != e.Name || x.Path != e.Path() || x.Direction != e.Direction || x.Variant != e.Variant ||
			!alikeButStreams(x.Settings, e.Settings) || p == nil || p.High == nil {
			continue
		}
		if x.ID == e.ID {
			own = *p.High >= gain*x.Goodput.Median && (x.Stays == nil || !*x.Stays)
		}
		streams := 1
		if n, err := strconv.Atoi(x.Settings["streams"]); err == nil {
			streams = n
		}
		out = append(out, record.Expected{Change: w.Change, Streams: streams, Band: *p})
	}
	if !own {
		return nil
	}
	slices.SortFunc(out, func(a, b record.Expected) int { return cmp.Compare(a.Streams, b.Streams) })
	return out
}

func alikeButStreams(a, b map[string]string) bool {
	return judge.Alike(&record.Experiment{Settings: without(a)}, &record.Experiment{Settings: without(b)})
}

func without(settings map[string]string) map[string]string {
	out := maps.Clone(settings)
	delete(out, "streams")
	return out
}
