package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

func floor(c record.NextCeiling) float64 {
	if c.Low == nil {
		return 0
	}
	return *c.Low
}

func roof(c record.NextCeiling) float64 {
	if c.High == nil {
		return math.Inf(1)
	}
	return *c.High
}

// today adds what holds the experiment back as it is, where that is none of the ceilings yet, and says whether the change leaves it as it was.
func (q *question) today(limiter string) *bool {
	yes := func(v bool) *bool { return &v }
	c := q.change
	packets, streams := q.packets[0] != q.packets[1], q.then() != q.streams
	switch {
	case slices.Contains(misread, limiter), limiter == NotKnown, limiter == "":
		return nil
	case limiter == link.ID:
		return yes(!packets && c.Rate == 0)
	case limiter == localShaper.ID:
		return yes(true)
	case limiter == "pcie":
		return yes(!packets && len(c.Slots) == 0)
	case slices.Contains(held, limiter):
		return yes(!streams && c.Window == 0 && c.RTT == 0)
	case limiter == appLimited.ID, limiter == mediaLimit.ID:
		return q.source()
	case slices.ContainsFunc(q.ceil, func(x record.NextCeiling) bool { return x.Kind == "cpu" && x.Today }):
		return yes(!packets && !streams)
	}
	q.stay(limiter, q.least())
	return nil
}

// stay adds what holds the experiment back and is no formula: it leaves at least a share of what was carried.
func (q *question) stay(limiter string, share float64) {
	name := "what holds it back today"
	if v := q.Exp.Verdict; v != nil && v.Component != "" && limiter != Unexplained {
		name = v.Component
	}
	low := q.Goodput * share
	q.add(record.NextCeiling{Component: name, Kind: limiter, Band: record.Band{Low: &low}, Origin: "assumed", Formula: "goodput",
		Inputs: []record.Input{measuredInput("goodput", q.Goodput)}, Today: true, Assumes: "whether it stays, and how far it goes, is not known"})
}

// source adds what the program that sends hands over: a pace, a drive, or as much as it did. It says whether that is as it was; of a program
// that makes its data itself, on a full core, it is not known: then the core may be what it waits for.
func (q *question) source() *bool {
	yes := func(v bool) *bool { return &v }
	e := q.Exp
	n := float64(q.then())
	if pace, err := unit.ParseBitRate(e.Settings["pace"]); err == nil && pace > 0 {
		v := float64(pace) * n
		if e.Direction == "both" {
			v *= 2
		}
		q.add(record.NextCeiling{Component: e.Verdict.Component, Kind: "pace", Band: band(v, v), Origin: "computed", Formula: "pace * streams",
			Inputs: []record.Input{declaredInput("pace", float64(pace)), declaredInput("streams", n)}, Today: true})
		return yes(q.then() == q.streams)
	}
	if q.change.Drive > 0 {
		return yes(false) // its drive is among the ceilings already
	}
	if _, used, ok := q.busiestCore(q.Sender.Host); !fromDrive(e) && (!ok || used >= 0.85) {
		q.stay(e.Verdict.Limiter, q.least())
		return nil
	}
	more := n / float64(q.streams)
	c := record.NextCeiling{Component: e.Verdict.Component, Kind: "source", Band: band(q.Goodput*min(1, more), q.Goodput*max(1, more)), Origin: "measured", Formula: "goodput",
		Inputs: []record.Input{measuredInput("goodput", q.Goodput)}, Today: true}
	if more != 1 {
		c.Origin, c.Assumes = "assumed", "from a source that all streams share to one of its own for each"
	}
	q.add(c)
	return yes(more == 1)
}

// sentence is the answer in words for a tired person.
func (q *question) sentence(out record.WhatIfOne) string {
	with := "With " + q.change.String() + ", " + q.Exp.Path()
	if q.streams > 1 {
		with += fmt.Sprintf(" with %d streams", q.streams)
	}
	switch {
	case slices.Contains(misread, out.Limiter):
		return fmt.Sprintf("%s: nothing follows from this run, because its figure is not that of the planned path (%s). Put that right first.", with, strings.ReplaceAll(out.Limiter, "-", " "))
	case out.Predicted == nil:
		return with + ": not known, because no rate on the path is; ask with --rate as well."
	}
	p := *out.Predicted
	if m := out.Measured; m != nil {
		got := m.Goodput.Median
		s := fmt.Sprintf("%s carries %s in place of %s: that was measured in the same run", with, rate(got), rate(q.Goodput))
		if p.Low != nil && got < 0.95**p.Low || p.High != nil && got > 1.05**p.High {
			s += fmt.Sprintf("; reckoned from this experiment alone it would be %s", between(p))
		}
		return s + "."
	}
	if t := q.stayed(out); t != nil {
		what := "what holds it back (" + t.Component + ") is not touched by it"
		s := fmt.Sprintf("%s would stay at %s: %s.", with, between(p), what)
		if p.High != nil && !near5(*p.Low, *p.High) {
			s = fmt.Sprintf("%s would hardly carry more than its %s: %s. At most it would be %s.", with, rate(q.Goodput), what, rate(*p.High))
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
	s := fmt.Sprintf("%s would %s %s in place of %s", with, would, between(p), rate(q.Goodput))
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
		if c.High != nil && *c.High > roof(first)*1.001 && floor(c) <= 4**p.High {
			s += fmt.Sprintf("; then %s would be next, at %s", c.Component, between(c.Band))
			break
		}
	}
	if wide && first.Origin == "assumed" && out.Measured == nil {
		s += ". Where in between, only a measurement with it tells"
	}
	return s + "."
}

// vague says what may be the lowest without anybody knowing how low.
func (q *question) vague(p record.Band) []string {
	var out []string
	for _, c := range q.ceil {
		switch {
		case c.High != nil || p.High != nil && floor(c) >= *p.High*atCeiling:
		case c.Kind == "cpu":
			out = append(out, "what "+c.Component+" would allow is not known")
		case c.Kind == Unexplained:
			out = append(out, "what holds it back today is not explained, and may stay")
		default:
			out = append(out, "whether what holds it back today ("+c.Component+") goes on doing so is not known")
		}
	}
	if q.blind {
		out = append(out, "what the processors would allow is not known")
	}
	return out
}

// stayed is what holds the experiment back today, if the change leaves it alone and nothing that is known comes before it; else nil.
func (q *question) stayed(out record.WhatIfOne) *record.NextCeiling {
	if out.Stays == nil || !*out.Stays {
		return nil
	}
	for i := range q.ceil {
		c := &q.ceil[i]
		if c.Today {
			return c
		}
		if floor(*c) < q.Goodput*0.95 {
			return nil
		}
	}
	return nil
}

// lowestOf is the ceiling with the lowest certain end, nil if none has one.
func lowestOf(all []record.NextCeiling, of func(record.NextCeiling) bool) *record.NextCeiling {
	var low *record.NextCeiling
	for i := range all {
		if c := &all[i]; c.High != nil && of(*c) && (low == nil || *c.High < *low.High) {
			low = c
		}
	}
	return low
}
