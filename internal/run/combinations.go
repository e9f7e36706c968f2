package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/network"
)

// Combinations expands the experiments of a plan, in the order of the file; parameters multiply, a later one running
// fastest. A combination that cannot be measured has the reason in NotRun. Names in Only that are not experiments are
// errors, reported together.
func Combinations(p *plan.Plan, o experiment.Options) ([]*experiment.Combination, error) {
	experiments := p.Fabric.Experiments
	if len(experiments) == 0 {
		experiments = p.Fabric.DefaultExperiments()
	}
	if o.Lossless {
		var err error
		if experiments, err = network.LosslessExperiments(p); err != nil {
			return nil, err
		}
	}
	var all []*experiment.Combination
	var names []string
	for _, e := range experiments {
		names = append(names, e.Name)
		all = append(all, expand(p, e, o)...)
	}
	apart(all)
	if len(o.Only) == 0 {
		return all, nil
	}
	var wrong []error
	for _, only := range o.Only {
		if !slices.Contains(names, only) {
			fix := "write one of " + strings.Join(names, ", ")
			if near := fabric.Nearest(only, names); near != "" {
				fix = "did you mean " + near + "?"
			}
			wrong = append(wrong, fmt.Errorf("--experiments: no experiment is called %q; %s", only, fix))
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return slices.DeleteFunc(all,
		func(c *experiment.Combination) bool { return !slices.Contains(o.Only, c.Record.Name) }), nil
}

// apart gives combinations that differ only in their experiment records of their own: the first in the file keeps its
// id, without the experiment's name, as if the file had only this one. It looks at the whole file, so that an
// experiment has the same id with --experiments and without. Equal combinations within an experiment stay one.
func apart(combinations []*experiment.Combination) {
	first := map[string]string{}
	for _, c := range combinations {
		x := c.Record
		if name, ok := first[x.ID]; !ok {
			first[x.ID] = x.Name
		} else if name != x.Name {
			x.SameAs = name
			x.ID = record.ExperimentID(x)
		}
	}
}

func expand(p *plan.Plan, e *fabric.Experiment, o experiment.Options) []*experiment.Combination {
	if why := notMeasurable(e); why != "" {
		return []*experiment.Combination{experiment.Unmeasured(p, e, why)}
	}
	return expanders[e.Method](p, e, o)
}

// notMeasurable returns why this version cannot measure an experiment at all.
func notMeasurable(e *fabric.Experiment) string {
	m := method.Named(e.Method)
	if !m.Known() {
		return fmt.Sprintf("the method %s is not part of this version, which measures %s", e.Method,
			strings.Join(method.Names(nil), ", "))
	}
	if e.Grouped() && !m.Grouped {
		return e.Method + " among several hosts at once is not part of this version; a list, from: [n1, n2], measures " +
			"one after another"
	}
	return ""
}
