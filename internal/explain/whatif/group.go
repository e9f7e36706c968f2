package whatif

import (
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/explain/judge"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// flowsOf returns the flows of a group, each as an experiment of its own. An experiment of one flow is returned itself.
func flowsOf(e *record.Experiment) []*record.Experiment {
	if e.Pattern == "" {
		return []*record.Experiment{e}
	}
	var out []*record.Experiment
	for _, f := range e.Flows {
		one := *e
		one.From, one.To, one.Ends, one.Links, one.Pattern, one.Flows = f.From, f.To, f.Ends, f.Links, "", nil
		out = append(out, &one)
	}
	return out
}

// groupAnswer returns the answer for concurrent flows: the ceiling of their links and ports, which they may share, with
// the change. It does not compute the joint ceiling of CPUs and TCP windows.
func groupAnswer(r *record.Run, e *record.Experiment, all []*question, ways []plan.Path,
	change record.Change) *record.WhatIfOne {
	var flows []path.Flow
	for i, q := range all {
		q.duplex = e.Direction == "both" || e.Pattern == fabric.AllToAll
		for _, direction := range []string{"out", "in"} {
			if e.Direction != "both" && e.Direction != direction {
				continue
			}
			q.Exp.Direction = direction
			chain, _ := q.chain(ways[i], true)
			way := ways[i]
			if change.Rate > 0 {
				way = faster(way, change.Rate)
			}
			flows = append(flows, path.Flow{Path: way, Backward: direction == "in", Chain: chain})
		}
	}
	chain := path.Group(flows)
	c := &judge.Case{Exp: e, Chain: &chain, Goodput: e.Goodput.Median, Sender: judge.Side{Host: e.From},
		Receiver: judge.Side{Host: e.To}}
	q := &question{Case: c, run: r, change: change, streams: all[0].streams, blind: true}
	_, before := all[0].chain(all[0].way, false)
	_, after := all[0].chain(ways[0], true)
	q.packets = [2]float64{max(before, 1), max(after, 1)}
	out := record.WhatIfOne{ID: e.ID, Name: e.Name, Path: e.Path(), Direction: e.Direction, Variant: e.Variant,
		Settings: e.Settings, Goodput: *e.Goodput}
	if e.Verdict != nil {
		out.Limiter = e.Verdict.Limiter
	}
	if low := chain.Lowest(); low != nil {
		v := float64(chain.Limit)
		inputs := low.Inputs
		for _, h := range chain.Hops {
			if r, ok := h.Rate.Get(); ok && len(low.Inputs) == 0 && h.Component != low.Component && len(h.Inputs) > 0 {
				inputs = append(inputs, record.Input{Name: "rate of " + h.Component, Value: float64(r), Origin: h.Inputs[0].Origin})
			}
		}
		q.add(record.NextCeiling{Component: chain.Component, Kind: low.Kind, Band: band(v, v), Origin: originOf(low.Inputs),
			Formula: low.Formula, Inputs: inputs, Today: e.Ceiling != nil && e.Ceiling.Component == chain.Component})
	}
	q.missing("CPUs and windows", "of many hosts at once they are not reckoned")
	out.Stays = q.today(out.Limiter)
	out.Measured = q.alike()
	out.Ceilings, out.Unknown = q.ceil, q.unknowns()
	out.Predicted = q.predicted(out.Limiter, float64(chain.Limit))
	out.Sentence = q.sentence(out)
	return &out
}
