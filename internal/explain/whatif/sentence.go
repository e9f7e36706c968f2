package whatif

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/cause"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

func roof(c record.NextCeiling) float64 {
	if c.High == nil {
		return math.Inf(1)
	}
	return *c.High
}

// today adds the present bottleneck of the experiment, if it is not among the ceilings yet, and reports whether it
// stays with the change.
func (q *question) today(limiter string) *bool {
	yes := func(v bool) *bool { return &v }
	c := q.change
	packets, streams := q.packets[0] != q.packets[1], q.then() != q.streams
	switch {
	case slices.Contains(misread, limiter), limiter == record.LimiterUnknown, limiter == "":
		return nil
	case limiter == cause.Link.ID:
		return yes(!packets && c.Rate == 0)
	case c.MTU > 0 && limiter == cause.MTUOneSided.ID:
		return yes(false) // it is then the same at both ends
	case limiter == cause.LocalShaper.ID:
		return yes(true)
	case limiter == "pcie":
		return yes(!packets && len(c.Slots) == 0)
	case slices.Contains(held, limiter):
		return yes(!streams && c.Interval == 0 && c.RTT == 0)
	case limiter == cause.AppLimited.ID, limiter == cause.MediaLimit.ID:
		return q.source()
	case slices.ContainsFunc(q.ceil, func(x record.NextCeiling) bool { return x.Kind == "cpu" && x.Today }):
		return yes(!packets && !streams)
	}
	q.stay(limiter, q.least())
	return nil
}

// stay adds a bottleneck without a formula. It allows at least this share of the measured goodput.
func (q *question) stay(limiter string, share float64) {
	name := "what holds it back today"
	if v := q.Exp.Verdict; v != nil && v.Component != "" && limiter != record.LimiterUnexplained {
		name = v.Component
	}
	low := q.Goodput * share
	q.add(record.NextCeiling{Component: name, Kind: limiter, Band: record.Band{Low: &low}, Origin: "assumed",
		Formula: "goodput", Inputs: []record.Input{measuredInput("goodput", q.Goodput)}, Today: true,
		Assumes: "whether it stays, and how far it goes, is not known"})
}

// source adds the rate of the sending program: a pace, a drive, or its measured rate. It reports whether that rate
// stays. For a program that generates its data on a full core it is not known, because it may wait for the core.
func (q *question) source() *bool {
	yes := func(v bool) *bool { return &v }
	e := q.Exp
	n := float64(q.then())
	if pace, err := unit.ParseBitRate(e.Settings["pace"]); err == nil && pace > 0 {
		v := float64(pace) * n
		if e.Direction == "both" {
			v *= 2
		}
		q.add(record.NextCeiling{Component: e.Verdict.Component, Kind: "pace", Band: band(v, v), Origin: "computed",
			Formula: "pace * streams",
			Inputs:  []record.Input{declaredInput("pace", float64(pace)), declaredInput("streams", n)}, Today: true})
		return yes(q.then() == q.streams)
	}
	if q.change.Drive > 0 {
		return yes(false) // its drive is already among the ceilings
	}
	if _, used, ok := q.BusiestCore(q.Sender.Host); !fromDrive(e) && (!ok || used >= 0.85) {
		q.stay(e.Verdict.Limiter, q.least())
		return nil
	}
	more := n / float64(q.streams)
	c := record.NextCeiling{Component: e.Verdict.Component, Kind: "source",
		Band: band(q.Goodput*min(1, more), q.Goodput*max(1, more)), Origin: "measured", Formula: "goodput",
		Inputs: []record.Input{measuredInput("goodput", q.Goodput)}, Today: true}
	if more != 1 {
		c.Origin, c.Assumes = "assumed", "from a source that all streams share to one of its own for each"
	}
	q.add(c)
	return yes(more == 1)
}

// sentence returns the answer in plain words.
func (q *question) sentence(out record.WhatIfOne) string {
	with := "With " + q.change.String() + ", " + q.Exp.Path()
	if q.streams > 1 {
		with += fmt.Sprintf(" with %d streams", q.streams)
	}
	switch {
	case slices.Contains(misread, out.Limiter):
		return fmt.Sprintf("%s: nothing follows from this run, because its figure is not that of the planned path (%s). "+
			"Put that right first.", with, strings.ReplaceAll(out.Limiter, "-", " "))
	case out.Predicted == nil:
		return with + ": not known, because no rate on the path is; ask with --link as well."
	}
	p := *out.Predicted
	if m := out.Measured; m != nil {
		got := m.Goodput.Median
		s := fmt.Sprintf("%s carries %s in place of %s: that was measured in the same run", with, judge.Rate(got),
			judge.Rate(q.Goodput))
		if p.Low != nil && got < 0.95**p.Low || p.High != nil && got > 1.05**p.High {
			s += fmt.Sprintf("; reckoned from this experiment alone it would be %s", between(p))
		}
		return s + "."
	}
	if t := out.Kept(); t != nil {
		what := "what holds it back (" + t.Component + ") is not touched by it"
		s := fmt.Sprintf("%s would stay at %s: %s.", with, between(p), what)
		if p.High != nil && !near5(*p.Low, *p.High) {
			s = fmt.Sprintf("%s would hardly carry more than its %s: %s. At most it would be %s.", with, judge.Rate(q.Goodput),
				what, judge.Rate(*p.High))
		}
		if c := lowestOf(q.ceil, func(c record.NextCeiling) bool { return !c.Today }); c != nil {
			s += fmt.Sprintf(" Behind it, %s would allow %s.", c.Component, between(c.Band))
		}
		return s
	}
	would, wide := "reach", p.Low == nil || p.High == nil || !near5(*p.Low, *p.High)
	if p.High == nil || *p.High < q.Goodput*0.97 || near5(*p.High, q.Goodput) {
		would = "carry"
	}
	s := fmt.Sprintf("%s would %s %s in place of %s", with, would, between(p), judge.Rate(q.Goodput))
	certain := lowestOf(q.ceil, func(record.NextCeiling) bool { return true })
	if vague := q.vague(p); wide && len(vague) > 0 {
		if certain != nil {
			s += ": no more than " + certain.Component + " allows"
		}
		return s + "; " + strings.Join(vague, ", and ") + "."
	}
	first := q.ceil[0]
	if !wide && certain != nil {
		first = *certain
	}
	s += ": " + first.Component + " is then the lowest ceiling"
	for _, c := range q.ceil {
		if c.High != nil && *c.High > roof(first)*1.001 && c.Floor() <= 4**p.High {
			s += fmt.Sprintf("; then %s would be next, at %s", c.Component, between(c.Band))
			break
		}
	}
	if wide && first.Origin == "assumed" && out.Measured == nil {
		s += ". Where in between, only a measurement with it shows"
	}
	return s + "."
}

// vague lists the ceilings that may be the lowest, but are not known exactly.
func (q *question) vague(p record.Band) []string {
	var out []string
	for _, c := range q.ceil {
		switch {
		case c.High != nil || p.High != nil && c.Floor() >= *p.High*judge.AtCeiling:
		case c.Kind == "cpu":
			out = append(out, "what "+c.Component+" would allow is not known")
		case c.Kind == record.LimiterUnexplained:
			out = append(out, "what holds it back today is not explained, and may stay")
		default:
			out = append(out, "whether what holds it back today ("+c.Component+") goes on doing so is not known")
		}
	}
	if q.blind {
		out = append(out, "what the CPUs would allow is not known")
	}
	return out
}

// lowestOf returns the ceiling with the lowest certain end, nil if none has one.
func lowestOf(all []record.NextCeiling, of func(record.NextCeiling) bool) *record.NextCeiling {
	var low *record.NextCeiling
	for i := range all {
		if c := &all[i]; c.High != nil && of(*c) && (low == nil || *c.High < *low.High) {
			low = c
		}
	}
	return low
}
