package explain

import (
	"slices"

	"linerate/internal/base/method"
	"linerate/internal/design/plan"
	"linerate/internal/explain/cause"
	"linerate/internal/explain/cause/rdma"
	"linerate/internal/explain/cause/storage"
	"linerate/internal/explain/costs"
	"linerate/internal/explain/goals"
	"linerate/internal/explain/judge"
	"linerate/internal/explain/proof"
	"linerate/internal/record"
)

// Run fills the verdicts, the goals and the sentence of a run from its records and snapshots, whether it has just ended
// or is years old. read returns a file of the run folder by its name. Missing files are missing evidence.
func Run(p *plan.Plan, r *record.Run, read func(name string) ([]byte, error)) {
	under(p, nil, r, read, cause.All())
}

// under judges every experiment with the plan of its variant.
func under(own *plan.Plan, variants map[string]*plan.Plan, r *record.Run, read func(name string) ([]byte, error),
	all cause.Tables) {
	newJudging(own, variants, r, judge.NewLoader(read), all).judgeAll()
}

func newJudging(own *plan.Plan, variants map[string]*plan.Plan, r *record.Run, l judge.Loader,
	all cause.Tables) *judging {
	return &judging{own: own, variants: variants, run: r, loader: l, tables: all,
		cases: map[*record.Experiment]*judge.Case{}}
}

// judgeAll judges every experiment, and then the run.
func (j *judging) judgeAll() {
	own, variants, r, l, all := j.own, j.variants, j.run, j.loader, j.tables
	for _, e := range r.Experiments {
		for _, x := range e.FollowUp {
			j.judge(x)
		}
	}
	for _, e := range r.Experiments {
		j.judge(e)
	}
	r.Costs = costs.Of(r, func(e *record.Experiment, host string) judge.Shots {
		return l.Shots(host, e.ID, r.Other(e.Variant))
	})
	r.Evidence = evidenceCost(r, l, func(e *record.Experiment) *plan.Plan { return judge.PlanOf(own, variants, e) })
	findings(own, r, l)
	for _, e := range r.Experiments {
		if !method.Named(e.Method).BoundsErrors || len(e.Repeats) == 0 || len(e.Ends) < 2 {
			continue
		}
		shots := map[string]judge.Shots{}
		for _, end := range e.Ends {
			shots[end.Host] = l.Shots(end.Host, e.ID, r.Other(e.Variant))
		}
		e.Acceptance = acceptance(e, shots, r)
	}
	for _, e := range r.Experiments {
		if method.Named(e.Method).ProvesClasses && len(e.Repeats) > 0 {
			e.Proof = proof.Judge(e, judge.PlanOf(own, variants, e), func(name string) judge.Shots {
				return l.Shots(name, e.ID, r.Other(e.Variant))
			})
		}
	}
	for _, e := range r.Experiments {
		if method.Named(e.Method).Stores {
			e.Verdict = storage.Verdict(all.Storage, e, r.Experiments, func(host string) judge.Shots {
				return l.Shots(host, e.ID, r.Other(e.Variant))
			})
		}
		if method.Named(e.Method).CopiesFiles {
			e.Verdict = storage.CopyVerdict(all.Copies, e, r.Experiments)
		}
	}
	inlineJumps(r)
	j.expect()
	r.Goals = goals.Judge(own, r)
	r.SlowNode = slowNode(r)
	r.Sentence = proof.SentenceWithProofs(r, Sentence(r))
}

// judging is a run while its verdicts are made.
type judging struct {
	own      *plan.Plan
	variants map[string]*plan.Plan
	run      *record.Run
	loader   judge.Loader
	tables   cause.Tables
	cases    map[*record.Experiment]*judge.Case
}

// caseOf returns an experiment of one flow with everything known about it; nil: its path is not in the plan.
func (j *judging) caseOf(e *record.Experiment) *judge.Case {
	if c, ok := j.cases[e]; ok {
		return c
	}
	var c *judge.Case
	whole := judge.PlanOf(j.own, j.variants, e)
	if path, ok := judge.PathOf(whole, e); ok {
		shots := map[string]judge.Shots{}
		for _, end := range e.Ends {
			shots[end.Host] = j.loader.Shots(end.Host, e.ID, j.run.Other(e.Variant))
		}
		for _, name := range path.Switches {
			shots[name] = j.loader.Shots(name, e.ID, j.run.Other(e.Variant))
		}
		c = judge.NewCase(e, whole, path, shots, j.run.Lab != nil)
		of(c, j.run)
		rdma.RecordCounters(c)
		if e.Failed == "" {
			c.Accounts = judge.Accounts(c)
			e.Accounts = c.Accounts
		}
		if e.Failed == "" && e.Direction == "both" {
			other := judge.CaseIn(e, whole, path, shots, j.run.Lab != nil,
				map[string]string{"out": "in", "in": "out"}[c.Direction])
			e.Accounts = append(slices.Clip(c.Accounts), judge.Accounts(other)...)
		}
	}
	j.cases[e] = c
	return c
}

// of sets the fields of a case that come from its run.
func of(c *judge.Case, r *record.Run) {
	c.Connections, c.ByFlags = judge.ConnectionsOf(r), byFlags(r)
	if c.ByFlags {
		c.Rate = givenRate(r)
	}
	if r.Lab != nil {
		c.Scale = r.Lab.Scale
	}
}

// byFlags reports whether a run was measured without a fabric file.
func byFlags(r *record.Run) bool { return len(r.Arguments) > 1 && r.Arguments[1] == "measure" }

func (j *judging) judge(e *record.Experiment) {
	e.Verdict = nil
	if j.cases[e] == nil {
		e.Accounts = nil
	}
	// A part of a failed experiment says nothing about the whole.
	if len(e.Ends) < 2 || len(e.Repeats) == 0 && (e.Failed == "" || e.Pattern != "") {
		return
	}
	if e.Pattern != "" {
		e.Verdict = group(e, j.tables, func(host string) judge.Shots {
			return j.loader.Shots(host, e.ID, j.run.Other(e.Variant))
		}, j.run.Lab != nil)
	} else if c := j.caseOf(e); c != nil && e.Failed != "" {
		e.Verdict = cause.Failed(c, j.tables)
		return
	} else if c != nil {
		if e.FollowedUp == nil {
			c.Steps = judge.Steps(j.run, e, j.caseOf)
		}
		e.Verdict = cause.Verdict(c, j.tables)
	}
	neverShaped(e.Verdict, e, j.run.Lab)
	v := e.Verdict
	if v == nil {
		return
	}
	if c := j.cases[e]; c != nil && e.Pattern == "" && v.Limiter != record.LimiterLink {
		v.RuledOut = ruledOut(c)
	}
	if c := j.cases[e]; c != nil && e.Pattern == "" {
		defer cause.SayWhoMayDrop(c, v)
	}
	if e.FollowedUp != nil {
		v.Next = nil // the experiment is itself a step
	}
	if c := j.cases[e]; c != nil && c.OverRDMA() {
		j.againstTCP(c, v)
		return
	}
	if v.Limiter == record.LimiterUnexplained || v.Next != nil {
		if settles := v.NextExperiment; settles != "" {
			if step := next(j.run, e, v.Next); step != "" {
				v.NextExperiment = step + "\n" + settles
			}
		} else {
			v.NextExperiment = next(j.run, e, v.Next)
		}
	}
}
