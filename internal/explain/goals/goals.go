package goals

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/explain/cause/storage"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// Judge compares every goal of the file with what was measured. In a lab,
// absolute goals are scaled like the links (scale 1 outside).
func Judge(p *plan.Plan, r *record.Run) []record.Goal {
	scale := 1.0
	if r.Lab != nil && r.Lab.Scale > 0 {
		scale = r.Lab.Scale
	}
	there := map[string]bool{"plan": true}
	for _, e := range r.Experiments {
		there[e.Name] = true
	}
	var out []record.Goal
	for _, g := range p.Fabric.Goals {
		// A run of one experiment does not judge the goals of the others.
		if there[g.Of] {
			out = append(out, goal(g, p, r, scale))
		}
	}
	return out
}

func goal(g *fabric.Goal, p *plan.Plan, r *record.Run, scale float64) record.Goal {
	out := record.Goal{Name: g.Name, Want: g.Text}
	if g.Of == "plan" {
		return planGoal(out, g, p)
	}
	unknown := func(why string) record.Goal { out.Have, out.Why = "not known", why; return out }
	if r.Lab != nil && (storage.BlockOf(r, g.Of) || storage.CopyOf(r, g.Of)) {
		out.NotHere = true
		return unknown("in a lab, storage is a folder of this machine, and says nothing of the drive that the goal is about")
	}
	if g.Metric == "seconds" && exchanges(r, g.Of) || g.Metric == "figure" {
		// a lab's shapers do not make a latency ten times as long, and an application's figure has no known relation to the
		// links' rates
		scale = 1
	}
	worst, combinations, missing := math.NaN(), 0, ""
	var at *record.Experiment // of worst
	missed := []string{}
	for _, e := range r.Experiments {
		if e.Name != g.Of || e.Variant != r.Variant || !within(g.Where, e) {
			continue
		}
		combinations++
		have, ok := metric(g.Metric, e)
		ok = ok && e.Failed == "" // some of its repeats do not stand for the whole
		if ok && e.Emulated {
			missing = notOfSpeed
			continue
		}
		want, wantOK := wanting(g, e, p, scale)
		other := (*record.Experiment)(nil)
		if g.Kind == fabric.GoalOther {
			if other = otherOf(g, e, r); other == nil {
				missing = "it compares with " + g.Other + ", which is not in this run"
				if v, ok := strings.CutPrefix(g.Other, "variant "); ok && !strings.Contains(v, "+") {
					missing += "; --variant all measures both"
				}
				continue
			}
			if other.Emulated {
				missing = notOfSpeed
				continue
			}
			want, wantOK = metric(g.Metric, other)
			want *= g.Value
		}
		if !ok || !wantOK {
			if missing = reason(e); !wantOK && ok {
				missing = "what it is measured against is not known"
				if other != nil {
					missing = g.Other + ": " + reason(other)
				}
			}
			continue
		}
		if math.IsNaN(worst) || (g.Op == "<=") == (have > worst) {
			worst, at = have, e
		}
		if g.Op == "<=" && have > want || g.Op != "<=" && have < want {
			missed = append(missed, Combination(e))
		}
	}
	if !math.IsNaN(worst) {
		out.Have = show(g.Metric, at, worst)
	}
	if scale != 1 && g.Kind == fabric.GoalValue && !strings.HasPrefix(g.Metric, "latency") {
		out.Want += fmt.Sprintf(" (%s at the lab's scale)", show(g.Metric, nil, scaled(g, scale)))
	}
	switch {
	case combinations == 0:
		return unknown("no experiment of this run is named by it")
	case len(missed) > 0:
		out.Met, out.Why = new(bool), fmt.Sprintf("missed on %d of %d: %s", len(missed), combinations, firstFew(missed))
	case missing != "":
		out.NotHere = missing == notOfSpeed // and repeats do not make it known
		return unknown(missing)
	default:
		yes := true
		out.Met = &yes
	}
	return out
}

// notOfSpeed is the reason why figures of emulated machines are not compared with goals.
const notOfSpeed = "it was measured between emulated machines, whose figures say what works, and nothing of speed"

// mostMissed is the largest number of combinations that the sentence of a goal names. The page has the figures of all.
const mostMissed = 3

// firstFew lists the first few, and the number of the others.
func firstFew(all []string) string {
	text := strings.Join(all[:min(len(all), mostMissed)], "; ")
	if more := len(all) - mostMissed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// exchanges reports whether an experiment is a halo exchange.
func exchanges(r *record.Run, name string) bool {
	return slices.ContainsFunc(r.Experiments, func(e *record.Experiment) bool {
		return e.Name == name &&
			method.Named(e.Method).Exchanges
	})
}

// Parameters returns the settings that name an experiment of a sweep.
func Parameters() []string {
	return []string{"via", "streams", "size", "mtu", "tiles", "processes", "exchange", "load", "read", "depth", "threads",
		"files", "tool", "cache"}
}

// Combination names one experiment of a sweep in a few words.
func Combination(e *record.Experiment) string {
	s := e.Path()
	for _, k := range Parameters() {
		if v := e.Settings[k]; v != "" {
			s += fmt.Sprintf(", %s %s", k, v)
		}
	}
	return s
}

func reason(e *record.Experiment) string {
	switch {
	case e.NotRun != "":
		return e.NotRun
	case e.Failed != "":
		return e.Failed
	}
	return "it was not measured"
}

// within reports whether the experiment has one of the values that each parameter of where allows.
func within(where []fabric.Parameter, e *record.Experiment) bool {
	for _, a := range where {
		have, ok := e.Settings[a.Key]
		if a.Key == "direction" {
			have, ok = e.Direction, true
		}
		found := false
		for _, v := range a.Values {
			found = found || ok && judge.SameValue(v, have)
		}
		if !found {
			return false
		}
	}
	return true
}

func metric(name string, e *record.Experiment) (float64, bool) {
	switch name {
	case "", "goodput":
		if e.Goodput != nil {
			return e.Goodput.Median, true
		}
		if e.Bytes != nil {
			return e.Bytes.Median * 8, true
		}
	case "iops":
		if e.IOPS != nil {
			return e.IOPS.Median, true
		}
	case "iops/cpu":
		if e.Block != nil && e.Block.PerPercentAsking != nil {
			return e.Block.PerPercentAsking.IOPS, true
		}
	case "cpu":
		if e.Block != nil && e.Block.PerPercentAsking != nil {
			return e.Block.PerPercentAsking.Percent / 100, true
		}
	case "seconds":
		if e.Seconds != nil {
			return e.Seconds.Median, true
		}
	case "figure":
		if e.Figure != nil {
			return e.Figure.Median, true
		}
	case "latency.p50":
		if e.Latency != nil {
			return e.Latency.P50, e.Latency.P50 > 0 // 0: too few round trips
		}
	case "latency.p99":
		if e.Latency != nil {
			return e.Latency.P99, e.Latency.P99 > 0
		}
	}
	return 0, false
}

// show formats a value of a metric. e has the unit of an application's figure.
func show(metric string, e *record.Experiment, v float64) string {
	if metric == "figure" && e != nil {
		return e.FigureText(v)
	}
	if strings.HasPrefix(metric, "latency") || metric == "seconds" {
		return unit.Seconds(v)
	}
	switch metric {
	case "iops", "iops/cpu":
		return unit.Count(v) + " IOPS" + map[string]string{"iops/cpu": " a percent of CPU"}[metric]
	case "cpu":
		return unit.Percent(v)
	}
	if e != nil && e.Bytes != nil && e.Goodput == nil {
		return unit.BytesPerSecond(v / 8)
	}
	return unit.BitRate(v).String()
}

func wanting(g *fabric.Goal, e *record.Experiment, p *plan.Plan, scale float64) (float64, bool) {
	switch g.Kind {
	case fabric.GoalOfCeiling:
		if e.Ceiling == nil || e.Ceiling.Planned() <= 0 {
			return 0, false
		}
		return g.Value * float64(e.Ceiling.Planned()), true
	case fabric.GoalOfLink:
		var r unit.BitRate
		for _, name := range e.Links {
			if l := p.Link(name); l != nil && l.Speed > 0 && (r == 0 || l.Speed < r) {
				r = l.Speed
			}
		}
		return g.Value * float64(r) * scale, r > 0
	}
	if strings.HasPrefix(g.Metric, "latency") {
		return g.Value, true
	}
	return scaled(g, scale), true
}

// scaled returns the goal's value at a lab's scale: a tenth of the rate, or ten times as long.
func scaled(g *fabric.Goal, scale float64) float64 {
	if g.Metric == "seconds" {
		return g.Value / scale
	}
	return g.Value * scale
}

// planGoal judges the cost, without spares. Other goals about the plan (watts) are not supported yet.
func planGoal(out record.Goal, g *fabric.Goal, p *plan.Plan) record.Goal {
	if g.Metric != "cost" {
		out.Have, out.Why = "not known", "the plan does not add up "+g.Metric+" yet"
		return out
	}
	out.Want = fmt.Sprintf("%s %s %s", g.Metric, g.Op, g.Money)
	for _, t := range p.BOM.Totals {
		if t.Currency != g.Money.Currency {
			continue
		}
		bare := t.Amount.Add(t.Spares.Times(-1))
		out.Have = bare.String()
		ok := bare.Amount() <= g.Money.Amount()
		if g.Op == ">=" {
			ok = bare.Amount() >= g.Money.Amount()
		}
		if ok && t.Unpriced > 0 {
			out.Why = fmt.Sprintf("%d items have no price", t.Unpriced)
			return out
		}
		out.Met = &ok
		return out
	}
	out.Have, out.Why = "not known", "nothing in the plan has a price in "+g.Money.Currency
	return out
}

// otherOf finds what a goal compares an experiment with: the same one of another
// variant, or with another value of one parameter. nil: it is not in the run.
func otherOf(g *fabric.Goal, e *record.Experiment, r *record.Run) *record.Experiment {
	key, value, ok := strings.Cut(g.Other, " ")
	if !ok {
		return nil
	}
	want := *e
	want.Settings = map[string]string{}
	for k, v := range e.Settings {
		want.Settings[k] = v
	}
	switch key {
	case "variant":
		want.Variant = value
	case "direction":
		want.Direction = value
	default:
		if _, has := want.Settings[key]; !has {
			return nil
		}
		want.Settings[key] = value
	}
	for _, x := range r.Experiments {
		if x.Name == want.Name && x.Method == want.Method && x.From == want.From && x.To == want.To &&
			x.Variant == want.Variant && x.Direction == want.Direction && judge.Alike(x, &want) {
			return x
		}
	}
	return nil
}
