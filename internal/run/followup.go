package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic"
)

// FollowUps extends a run after its combinations: as long as a verdict requests another experiment, that is measured,
// and the verdict is made again with both.
type FollowUps struct {
	Limit time.Duration // for all steps of the run together, with their snapshots
	// Judge makes the verdicts of the results so far.
	Judge func(*record.Run)

	spent  time.Duration
	gaveUp map[string]bool // ids of experiments with a step that failed
}

// DefaultFollowUp is the default limit.
const DefaultFollowUp = time.Minute

// MaxFollowUps is the number of steps for one verdict. What three changes cannot distinguish, a fourth of the same kind
// cannot either.
const MaxFollowUps = 3

// maxFollowUpRepeats is the maximum of repeats of a step: it must distinguish causes, not percents.
const maxFollowUpRepeats = 3

// followUp is a combination with the experiment that it belongs to.
type followUp struct {
	entry
	of *experiment.Combination
}

// follow makes steps until no verdict requests one, or the time is over.
func (ch *FollowUps) follow(ctx context.Context, all []*session, r *record.Run) error {
	begun, before := time.Now(), ch.spent
	limit := ch.Limit
	if b := all[0].cfg.Budget; b > 0 {
		limit = min(limit, before+b-time.Since(all[0].started))
	}
	if ch.gaveUp == nil {
		ch.gaveUp = map[string]bool{}
		was := r.FollowUp // of an interrupted run
		r.FollowUp = &record.FollowUp{Limit: ch.Limit.Seconds()}
		if was != nil {
			r.FollowUp.Steps = was.Steps
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
			ch.gaveUp[x.of.Record.ID] = true
			r.FollowUp.LeftOut = append(r.FollowUp.LeftOut,
				record.LeftOut{Experiment: x.of.Record.ID, Next: x.combination.Record.FollowedUp.Next, Because: why})
			x.s.step(
				Step{
					Text: fmt.Sprintf("follow-up of %s: not made: %s: %s", x.of.Record.Path(),
						Changed(x.combination.Record.FollowedUp.Change), why),
				},
			)
			continue
		}
		if err := x.measure(ctx); err != nil {
			return err
		}
		r.FollowUp.Steps++
		ch.spent = before + time.Since(begun)
		r.FollowUp.Seconds = ch.spent.Seconds()
	}
	return nil
}

// next is the next step: an interrupted one, else that of the experiment with the fewest. Without a step it returns why
// it cannot be made, or "" if no verdict requests one.
func (ch *FollowUps) next(all []*session) (*followUp, string) {
	var best *followUp
	seen := map[string]bool{}
	for _, s := range all {
		for _, c := range s.cfg.Combinations {
			e := c.Record
			m, ok := c.Measurement.(experiment.Changer)
			if !ok || seen[e.ID] || ch.gaveUp[e.ID] || e.NotRun != "" || e.Failed != "" || len(e.Repeats) == 0 {
				continue
			}
			seen[e.ID] = true
			for _, x := range e.FollowUp {
				if x.Goodput == nil && x.Failed == "" && x.NotRun == "" && x.FollowedUp != nil {
					return followUpOf(c, s, m, x.FollowedUp.Next, x), ""
				}
			}
			if e.Verdict == nil || e.Verdict.Next == nil || len(e.FollowUp) >= MaxFollowUps ||
				best != nil && len(e.FollowUp) >= len(best.of.Record.FollowUp) {
				continue
			}
			best = followUpOf(c, s, m, *e.Verdict.Next, nil)
		}
	}
	if best == nil {
		return nil, ""
	}
	return best, best.cannot()
}

// followUpOf is the combination of one step; was, if not nil, is what an interrupted run recorded of it.
func followUpOf(c *experiment.Combination, s *session, m experiment.Changer, next record.Next,
	was *record.Experiment) *followUp {
	e := &record.Experiment{Name: c.Record.Name, Method: c.Record.Method, From: c.Record.From, To: c.Record.To,
		Ends: c.Record.Ends, Links: c.Record.Links, Direction: c.Record.Direction, Variant: c.Record.Variant,
		Emulated: c.Record.Emulated, Settings: maps.Clone(c.Record.Settings), InEffect: map[string]string{},
		FollowedUp: &record.FollowedUp{For: c.Record.ID, Step: len(c.Record.FollowUp) + 1, Next: next}}
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
	step := m.Changed(e)
	step.Samples, step.Repeats = c.Samples, min(max(1, len(c.Record.Repeats)), maxFollowUpRepeats)
	if step.OpenEnded() {
		step.Interval = c.Interval
	} else {
		step.Fixed = time.Duration(c.Record.Repeats[0].Seconds * 1e9)
	}
	return &followUp{entry{s, step}, c}
}

// cannot returns why a step cannot be measured, "" if it can.
func (x *followUp) cannot() string {
	e := x.combination.Record
	for k := range e.FollowedUp.Change {
		if !method.Measures(e.Method, k) {
			return fmt.Sprintf("the setting %s is not one of the method %s", k, e.Method)
		}
	}
	if e.FollowedUp.Change["mtu"] != "" && x.s.cfg.SetMTU == nil {
		return "measuring changes no settings outside of the lab; set the MTU at both ends and run it with " +
			"mtu: " + e.Settings["mtu"]
	}
	if slices.ContainsFunc(x.of.Record.FollowUp, func(o *record.Experiment) bool { return o.ID == e.ID }) {
		return "it was measured already"
	}
	for _, h := range x.combination.Hosts() {
		if x.s.broken[h] != "" {
			return unusable(x.s.Name(h))
		}
	}
	if !slices.Contains([]string{traffic.Out, traffic.In, traffic.Both}, e.Direction) {
		return fmt.Sprintf("direction: %s is none", e.Direction)
	}
	return cmp.Or(
		experiment.Unsupported(&fabric.Experiment{Method: e.Method}, e.Settings, experiment.Options{Sources: true}),
		experiment.WrongDirection(e.Settings, e.Direction))
}

// stepOverhead is the time of a step beyond its repeats: reading its hosts before and after.
const stepOverhead = time.Second

// fit shortens the step to the time that is left, in whole repeats. It returns why it does not fit, "" if it does.
func (x *followUp) fit(left time.Duration) string {
	one := x.combination.Takes(x.s.Lasts(x.combination))
	n := int((left - stepOverhead) / max(one, time.Millisecond))
	if n+len(x.combination.Record.Repeats) < 1 {
		return fmt.Sprintf("it takes %s, and %s are left for follow-ups", unit.Seconds((one + stepOverhead).Seconds()),
			unit.Seconds(max(0, left).Seconds()))
	}
	x.combination.Repeats = max(1, min(x.combination.Repeats, len(x.combination.Record.Repeats)+n))
	return ""
}

// measure makes a step and adds it to its experiment. A failure is recorded in the step; an error ends the whole run.
func (x *followUp) measure(ctx context.Context) error {
	if err := x.s.connectTo(ctx, x.combination.Hosts()); err != nil {
		return err
	}
	e := x.combination.Record
	x.of.Record.FollowUp = xslices.AppendNew(x.of.Record.FollowUp, e)
	if err := x.s.cfg.Folder.Experiment(e); err != nil {
		return err
	}
	x.s.step(
		Step{
			Text: fmt.Sprintf("follow-up of %s, step %d: %s: %s", x.of.Record.Path(), e.FollowedUp.Step,
				Changed(e.FollowedUp.Change), e.FollowedUp.Why),
		},
	)
	t := turn{x.entry}
	if err := t.measure(ctx, len(x.s.all), len(x.s.all)+1, levels{facts.Full, facts.Full}); err != nil {
		return err
	}
	if err := x.s.finish(x.combination); err != nil {
		return err
	}
	x.s.step(Step{Index: len(x.s.all) + 1, Total: len(x.s.all) + 1, Combination: x.combination, Repeat: -1})
	return nil
}

// Changed describes the changes of a step: "streams 8, without source".
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
