package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// Chase lets a run go on by itself after its cells: as long as a verdict asks for another experiment, that is measured, and the verdict
// is made again with both.
type Chase struct {
	Limit time.Duration // for all steps of the run together, with their captures
	// Judge makes the verdicts of what is measured so far.
	Judge func(*record.Run)

	spent  time.Duration
	gaveUp map[string]bool // ids of experiments of which a step could not be made
}

// DefaultChase is the limit where nobody says.
const DefaultChase = time.Minute

// MostChased is how many steps are made for one verdict. What three changes do not tell apart, a fourth of the same kind does not either.
const MostChased = 3

// mostChasedRepeats is how often a step is measured at most: it is to tell factors apart, not percents.
const mostChasedRepeats = 3

// chased is a cell with the experiment that it is a step of.
type chased struct {
	entry
	of *Cell
}

// chase makes steps until no verdict asks for one, or the time is over.
func (ch *Chase) chase(ctx context.Context, all []*session, r *record.Run) error {
	begun, before := time.Now(), ch.spent
	limit := ch.Limit
	if b := all[0].cfg.Budget; b > 0 {
		limit = min(limit, before+b-time.Since(all[0].started))
	}
	if ch.gaveUp == nil {
		ch.gaveUp = map[string]bool{}
		was := r.Chase // of an interrupted run
		r.Chase = &record.Chase{Limit: ch.Limit.Seconds()}
		if was != nil {
			r.Chase.Steps = was.Steps
		}
	}
	for {
		ch.Judge(r)
		x, why := ch.next(all)
		if x == nil {
			break
		}
		if why == "" {
			why = x.fit(limit - before - time.Since(begun))
		}
		if why != "" {
			ch.gaveUp[x.of.Exp.ID] = true
			r.Chase.LeftOut = append(r.Chase.LeftOut, record.LeftOut{Experiment: x.of.Exp.ID, Next: x.c.Exp.Chased.Next, Because: why})
			x.s.step(Step{Text: fmt.Sprintf("chase of %s: not made: %s: %s", x.of.Exp.Path(), Changed(x.c.Exp.Chased.Change), why)})
			continue
		}
		if err := x.measure(ctx); err != nil {
			return err
		}
		r.Chase.Steps++
		ch.spent = before + time.Since(begun)
		r.Chase.Seconds = ch.spent.Seconds()
	}
	return nil
}

// next is the step that is to be made now: one that was interrupted, else that of the experiment which has had the fewest. Why it cannot
// be made; nil: no verdict asks for one.
func (ch *Chase) next(all []*session) (*chased, string) {
	var best *chased
	seen := map[string]bool{}
	for _, s := range all {
		for _, c := range s.cfg.Cells {
			e := c.Exp
			if seen[e.ID] || ch.gaveUp[e.ID] || e.NotRun != "" || e.Failed != "" || len(c.Flows) > 0 || len(e.Repeats) == 0 {
				continue
			}
			seen[e.ID] = true
			for _, x := range e.Chase {
				if x.Goodput == nil && x.Failed == "" && x.NotRun == "" && x.Chased != nil {
					return c.step(s, x.Chased.Next, x), ""
				}
			}
			if e.Verdict == nil || e.Verdict.Next == nil || len(e.Chase) >= MostChased || best != nil && len(e.Chase) >= len(best.of.Exp.Chase) {
				continue
			}
			best = c.step(s, *e.Verdict.Next, nil)
		}
	}
	if best == nil {
		return nil, ""
	}
	return best, best.cannot()
}

// step is the cell of one step; was, if not nil, is what an interrupted run has of it.
func (c *Cell) step(s *session, next record.Next, was *record.Experiment) *chased {
	e := &record.Experiment{Name: c.Exp.Name, Method: c.Exp.Method, From: c.Exp.From, To: c.Exp.To, Ends: c.Exp.Ends, Links: c.Exp.Links, Direction: c.Exp.Direction,
		Variant: c.Exp.Variant, Emulated: c.Exp.Emulated, Settings: maps.Clone(c.Exp.Settings), InEffect: map[string]string{},
		Chased: &record.Chased{For: c.Exp.ID, Step: len(c.Exp.Chase) + 1, Next: next}}
	for k, v := range next.Change {
		switch {
		case k == "direction":
			e.Direction = v
		case v == "":
			delete(e.Settings, k)
		default:
			if e.Settings == nil {
				e.Settings = map[string]string{}
			}
			e.Settings[k] = v
		}
	}
	e.ID = record.ExperimentID(e)
	if was != nil {
		e = was
		if e.InEffect == nil {
			e.InEffect = map[string]string{}
		}
	}
	step := &Cell{Exp: e, Path: c.Path, Samples: c.Samples, Repeat: min(max(1, len(c.Exp.Repeats)), mostChasedRepeats),
		fixed: time.Duration(c.Exp.Repeats[0].Seconds * 1e9)}
	if e.Settings["amount"] != "" {
		step.Window, step.fixed = c.Window, 0
	}
	return &chased{entry{s, step}, c}
}

// cannot says why a step cannot be measured; empty: it can.
func (x *chased) cannot() string {
	e := x.c.Exp
	known := map[string]bool{"direction": true}
	maps.Copy(known, understood[e.Method])
	for k := range e.Chased.Change {
		if !known[k] {
			return fmt.Sprintf("the setting %s is not one of the method %s", k, e.Method)
		}
	}
	if e.Chased.Change["mtu"] != "" && x.s.cfg.SetMTU == nil {
		return "measuring changes no settings outside of the lab; set the MTU at both ends and run it with mtu: " + e.Settings["mtu"]
	}
	if slices.ContainsFunc(x.of.Exp.Chase, func(o *record.Experiment) bool { return o.ID == e.ID }) {
		return "it was measured already"
	}
	for _, h := range x.c.Hosts() {
		if x.s.broken[h] != "" {
			return unusable(x.s.nameOf(h))
		}
	}
	if !slices.Contains([]string{traffic.Out, traffic.In, traffic.Both}, e.Direction) {
		return fmt.Sprintf("direction: %s is none", e.Direction)
	}
	return cmp.Or(unsupported(&fabric.Experiment{Method: e.Method}, e.Settings, Options{Sources: true}), wrongWay(e.Settings, e.Direction))
}

// stepOverhead is what a step takes beside its repeats: what its hosts say before and after.
const stepOverhead = time.Second

// fit makes the step as short as the time that is left asks for, in whole repeats. Why it does not fit; empty: it does.
func (x *chased) fit(left time.Duration) string {
	one := x.c.takes(x.s.lasts(x.c))
	n := int((left - stepOverhead) / max(one, time.Millisecond))
	if n+len(x.c.Exp.Repeats) < 1 {
		return fmt.Sprintf("it takes %s, and %s are left for chasing", unit.Seconds((one + stepOverhead).Seconds()), unit.Seconds(max(0, left).Seconds()))
	}
	x.c.Repeat = max(1, min(x.c.Repeat, len(x.c.Exp.Repeats)+n))
	return ""
}

// measure makes a step and puts it under its experiment. A failure is written into the step; an error is of what ends the whole run.
func (x *chased) measure(ctx context.Context) error {
	if err := x.s.connectTo(ctx, x.c.Hosts()); err != nil {
		return err
	}
	e := x.c.Exp
	if !slices.Contains(x.of.Exp.Chase, e) {
		x.of.Exp.Chase = append(x.of.Exp.Chase, e)
	}
	if err := x.s.cfg.Folder.Experiment(e); err != nil {
		return err
	}
	x.s.step(Step{Text: fmt.Sprintf("chase of %s, step %d: %s: %s", x.of.Exp.Path(), e.Chased.Step, Changed(e.Chased.Change), e.Chased.Why)})
	t := turn{x.entry}
	if err := t.measure(ctx, len(x.s.all), len(x.s.all)+1, looks{facts.Full, facts.Full}); err != nil {
		return err
	}
	if err := x.s.finish(x.c); err != nil {
		return err
	}
	x.s.step(Step{Index: len(x.s.all) + 1, Total: len(x.s.all) + 1, Cell: x.c, Repeat: -1})
	return nil
}

// Changed is what a step has otherwise, in words: "streams 8, without source".
func Changed(change map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(change)) {
		if v := change[k]; v != "" {
			out = append(out, k+" "+v)
		} else {
			out = append(out, "without "+k)
		}
	}
	return strings.Join(out, ", ")
}
