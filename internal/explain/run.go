package explain

import (
	"slices"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// Run fills the verdicts, the goals and the sentence of a run from its records
// and captures, whether it has just ended or was opened years later. Read gives
// a file of the run folder by its name; what is missing is missing evidence.
func Run(p *plan.Plan, r *record.Run, read func(name string) ([]byte, error)) {
	under(p, nil, r, read, known())
}

// under judges every experiment under the plan of its variant.
func under(own *plan.Plan, variants map[string]*plan.Plan, r *record.Run, read func(name string) ([]byte, error), all tables) {
	newJudging(own, variants, r, newLoader(read), all).judgeAll()
}

func newJudging(own *plan.Plan, variants map[string]*plan.Plan, r *record.Run, l loader, all tables) *judging {
	return &judging{own: own, variants: variants, run: r, loader: l, tables: all, cases: map[*record.Experiment]*Case{}}
}

// judgeAll judges every experiment, and then the run.
func (j *judging) judgeAll() {
	own, variants, r, l, all := j.own, j.variants, j.run, j.loader, j.tables
	for _, e := range r.Experiments {
		for _, x := range e.Chase {
			j.judge(x)
		}
	}
	for _, e := range r.Experiments {
		j.judge(e)
	}
	r.Costs = costs(r, func(e *record.Experiment, host string) Shots { return l.shots(host, e.ID, r.Other(e.Variant)) })
	r.Evidence = evidenceCost(r, l, func(e *record.Experiment) *plan.Plan { return planOf(own, variants, e) })
	findings(own, r, l)
	for _, e := range r.Experiments {
		if e.Method != record.MethodAcceptance || len(e.Repeats) == 0 || len(e.Ends) < 2 {
			continue
		}
		shots := map[string]Shots{}
		for _, end := range e.Ends {
			shots[end.Host] = l.shots(end.Host, e.ID, r.Other(e.Variant))
		}
		e.Acceptance = acceptance(e, shots, r)
	}
	for _, e := range r.Experiments {
		if e.Method == record.MethodProof && len(e.Repeats) > 0 {
			e.Proof = proof(e, planOf(own, variants, e), func(name string) Shots { return l.shots(name, e.ID, r.Other(e.Variant)) })
		}
	}
	for _, e := range r.Experiments {
		if e.Method == record.MethodBlock {
			e.Verdict = storageVerdictOf(all.storage, e, r.Experiments, func(host string) Shots { return l.shots(host, e.ID, r.Other(e.Variant)) })
		}
		if e.Method == record.MethodCopy {
			e.Verdict = copyVerdictOf(all.copies, e, r.Experiments)
		}
	}
	inlineJumps(r)
	r.Goals = Goals(own, r)
	r.Sentence = proved(r, Sentence(r))
}

// judging is a run whose verdicts are made.
type judging struct {
	own      *plan.Plan
	variants map[string]*plan.Plan
	run      *record.Run
	loader   loader
	tables   tables
	cases    map[*record.Experiment]*Case
}

// caseOf is an experiment of one flow with what is known of it; nil: its path is not in the plan.
func (j *judging) caseOf(e *record.Experiment) *Case {
	if c, ok := j.cases[e]; ok {
		return c
	}
	var c *Case
	whole := planOf(j.own, j.variants, e)
	if path, ok := pathOf(whole, e); ok {
		shots := map[string]Shots{}
		for _, end := range e.Ends {
			shots[end.Host] = j.loader.shots(end.Host, e.ID, j.run.Other(e.Variant))
		}
		for _, name := range path.Switches {
			shots[name] = j.loader.shots(name, e.ID, j.run.Other(e.Variant))
		}
		c = newCase(e, whole, path, shots, j.run.Lab != nil)
		c.of(j.run)
		c.recordCounters()
		if e.Failed == "" {
			c.Accounts = accounts(c)
			e.Accounts = c.Accounts
		}
		if e.Failed == "" && e.Direction == "both" {
			other := turned(e, whole, path, shots, j.run.Lab != nil, map[string]string{"out": "in", "in": "out"}[c.direction])
			e.Accounts = append(slices.Clip(c.Accounts), accounts(other)...)
		}
	}
	j.cases[e] = c
	return c
}

// of notes what a case has of its run.
func (c *Case) of(r *record.Run) {
	c.Reaches, c.ByFlags = reachesOf(r), byFlags(r)
	if c.ByFlags {
		c.Rate = givenRate(r)
	}
	if r.Lab != nil {
		c.Scale = r.Lab.Scale
	}
}

// byFlags says whether a run was measured without a fabric file.
func byFlags(r *record.Run) bool { return len(r.Arguments) > 1 && r.Arguments[1] == "measure" }

// judge makes the verdict of one experiment.
func (j *judging) judge(e *record.Experiment) {
	e.Verdict = nil
	if j.cases[e] == nil {
		e.Accounts = nil
	}
	// Part of an experiment that failed says nothing of the whole.
	if len(e.Ends) < 2 || len(e.Repeats) == 0 && (e.Failed == "" || e.Pattern != "") {
		return
	}
	if e.Pattern != "" {
		e.Verdict = group(e, j.tables, func(host string) Shots { return j.loader.shots(host, e.ID, j.run.Other(e.Variant)) }, j.run.Lab != nil)
	} else if c := j.caseOf(e); c != nil && e.Failed != "" {
		e.Verdict = failed(c, j.tables)
		return
	} else if c != nil {
		if e.Chased == nil {
			c.Steps = steps(j.run, e, j.caseOf)
		}
		e.Verdict = verdict(c, j.tables)
	}
	neverShaped(e.Verdict, e, j.run.Lab)
	v := e.Verdict
	if v == nil {
		return
	}
	if c := j.cases[e]; c != nil && e.Pattern == "" {
		defer c.sayWhoMayDrop(v)
	}
	if e.Chased != nil {
		v.Next = nil // it is a step itself
	}
	if c := j.cases[e]; c != nil && c.overRDMA() {
		j.againstTCP(c, v)
		return
	}
	if v.Limiter == Unexplained || v.Next != nil {
		if settles := v.NextExperiment; settles != "" {
			v.NextExperiment = next(j.run, e, v.Next) + "\n" + settles
		} else {
			v.NextExperiment = next(j.run, e, v.Next)
		}
	}
}

// pathOf finds the path of an experiment again in its plan.
func pathOf(p *plan.Plan, e *record.Experiment) (plan.Path, bool) {
	for _, path := range p.Paths(e.From, e.To) {
		if path.FromPort.ID == e.Ends[0].Port && path.ToPort.ID == e.Ends[1].Port {
			return path, true
		}
	}
	return plan.Path{}, false
}

// loader parses each capture once.
type loader struct {
	read func(string) ([]byte, error)
	have map[string]*facts.Facts
}

func newLoader(read func(name string) ([]byte, error)) loader {
	return loader{read: read, have: map[string]*facts.Facts{}}
}

func (l loader) shots(host, experiment, variant string) Shots {
	return Shots{
		Idle0:  l.facts(host, record.IdleOf(record.Idle, variant)),
		Idle1:  l.facts(host, record.IdleOf(record.IdleEnd, variant)),
		Before: l.facts(host, record.At(record.Before, experiment)),
		During: l.during(host, experiment),
		After:  l.facts(host, record.At(record.After, experiment)),
	}
}

// during are the captures that were taken while an experiment ran, in their order.
func (l loader) during(host, experiment string) (all []*facts.Facts) {
	for n := range record.MostDuring {
		if f := l.facts(host, record.DuringOf(n, experiment)); f != nil {
			all = append(all, f)
		}
	}
	return all
}

// facts is nil for a capture that is not there or cannot be read.
func (l loader) facts(host, when string) *facts.Facts {
	name := runfolder.CaptureName(host, when)
	if f, ok := l.have[name]; ok {
		return f
	}
	var f *facts.Facts
	if text, err := l.read(name); err == nil {
		if parsed, err := facts.Parse(text); err == nil {
			f = parsed
		}
	}
	l.have[name] = f
	return f
}
