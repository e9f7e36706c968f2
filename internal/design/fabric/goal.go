package fabric

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
	"linerate/internal/base/xslices"
)

func (d *decoder) allGoals(n *node) {
	d.each(n, "goal", single(), func(name, group string, p pair, _, _ step) {
		g := &Goal{Name: name, Of: name, At: p.key.at}
		subject := "goal " + quoteName(group)
		text := p.value
		f := &fields{d: d, n: &node{kind: mapping}, at: p.key.at, subject: subject}
		if p.value.kind != scalar {
			var ok bool
			if f, ok = d.fields(p.value, "goal", subject, p.key.at); !ok {
				return
			}
			if of := f.text("of"); of != "" {
				g.Of = of
			}
			if text = f.scalar("want"); text == nil {
				if !f.has("want") {
					f.bad(diag.KeyMissing, "want", "missing key want", "", "write want: goodput >= 95% of ceiling")
				}
				return
			}
		}
		g.Text = text.text
		w, err := parseWant(text.text)
		var ge *complaint
		if errors.As(err, &ge) {
			d.bad(ge.id, text.at, subject, ge.message, ge.limit, ge.fix)
			w = want{}
		}
		g.Metric, g.Op, g.Kind, g.Value, g.Other, g.Money = w.metric, w.op, w.kind, w.value, w.other, w.money
		d.goal(g, f, text)
		d.f.Goals = append(d.f.Goals, g)
	})
}

// goal compares a goal with the experiments of the file.
func (d *decoder) goal(g *Goal, f *fields, text *node) {
	ofPlan := g.Metric == "cost" || g.Metric == "watts"
	if g.Of == "plan" {
		if !ofPlan && g.Metric != "" {
			d.bad(diag.GoalInvalid, text.at, f.subject, fmt.Sprintf("the plan has no %s", g.Metric), "a plan has cost and watts",
				"write cost <= 120 USD, or name an experiment in of")
		}
		if f.has("where") {
			f.bad(diag.GoalInvalid, "where", "the plan has no parameters", "", "delete where")
		}
		if g.Kind == GoalOther {
			d.other(g, nil, f.subject, text)
		}
		return
	}
	d.src.charge(g.At, len(d.f.Experiments)/8)
	es := d.experiments(g.Of)
	if d.broken[g.Of] {
		return
	}
	if len(es) == 0 {
		d.noExperiment(g, f)
		return
	}
	if ofPlan {
		d.bad(diag.GoalInvalid, text.at, f.subject, fmt.Sprintf("an experiment has no %s", g.Metric),
			"a plan has cost and watts",
			"write of: plan")
	}
	if g.Metric == "figure" && !method.Named(es[0].Method).RunsCommand {
		d.bad(diag.GoalInvalid, text.at, f.subject, fmt.Sprintf("%s has no figure", es[0].Method),
			"only command has a figure",
			"write another metric")
	}
	if n := f.get("where"); n != nil {
		d.where(g, f, n, es[0])
	}
	if g.Kind == GoalOther {
		d.other(g, es[0], f.subject, text)
	}
}

func (d *decoder) experiments(name string) []*Experiment {
	return xslices.Filter(d.f.Experiments, func(e *Experiment) bool { return e.Name == name })
}

func (d *decoder) experimentNames() []string {
	return xslices.Map(d.f.Experiments, func(e *Experiment) string { return e.Name })
}

func (d *decoder) noExperiment(g *Goal, f *fields) {
	names := d.experimentNames()
	at := g.At
	if n := f.get("of"); n != nil {
		at = n.at
	}
	fix := "write of: EXPERIMENT, or of: plan for cost and watts"
	if near := nearest(g.Of, names); near != "" {
		fix = "write of: " + near
		if f.get("of") == nil {
			fix = "name the goal " + near + ", or write of: " + near
		}
	}
	d.bad(diag.ExperimentUnknown, at, f.subject, fmt.Sprintf("no experiment is called %s", quote(g.Of)),
		"experiments of the file: "+orNone(names), fix)
}

// valuesOf returns the values of an experiment's parameter, including those that are fields of Experiment.
func (d *decoder) valuesOf(e *Experiment, key string) []string {
	switch key {
	case "via":
		return e.Via
	case "from", "to":
		var all []string
		for _, x := range d.experiments(e.Name) {
			if key == "from" {
				all = append(all, x.From...)
			} else {
				all = append(all, x.To...)
			}
		}
		return all
	}
	return e.Parameter(key)
}

// parameterKeys returns the keys that an experiment sets.
func parameterKeys(e *Experiment) []string {
	keys := xslices.Map(e.Parameters, func(a Parameter) string { return a.Key })
	if len(e.Via) > 0 {
		keys = append(keys, "via")
	}
	if len(e.From) > 0 {
		keys = append(keys, "from")
	}
	if len(e.To) > 0 {
		keys = append(keys, "to")
	}
	return keys
}

// where reads the combinations of a goal.
func (d *decoder) where(g *Goal, f *fields, n *node, e *Experiment) {
	if n.kind != mapping {
		f.bad(diag.ValueKind, "where", "where takes keys of the experiment, not "+n.describe(), "",
			"write where: {streams: 8}")
		return
	}
	for _, p := range n.pairs {
		if p.key.text == "note" {
			continue
		}
		have := d.valuesOf(e, p.key.text)
		if have == nil {
			keys := parameterKeys(e)
			fix := "delete it, or add it to the experiment"
			if near := nearest(p.key.text, keys); near != "" {
				fix = "did you mean " + near + "?"
			}
			if !slices.Contains(keys, p.key.text) { // else its values were reported
				d.bad(diag.GoalInvalid, p.key.at, f.subject, fmt.Sprintf("experiment %s does not set %s", e.Name,
					quote(p.key.text)),
					"it sets "+orNone(keys), fix)
			}
			continue
		}
		s := settingNamed(p.key.text)
		a, ok := d.parameter(p.key, p.value, f.subject, e.Method, s)
		if !ok {
			continue
		}
		a.Key = p.key.text
		for _, v := range a.Values {
			if !d.src.charge(p.key.at, len(have)) {
				return
			}
			if !d.among(s, v, have) {
				d.bad(diag.GoalInvalid, p.value.at, f.subject, fmt.Sprintf("experiment %[3]s does not measure %[1]s %[2]s",
					p.key.text, quote(v), e.Name),
					"it measures "+strings.Join(have[:min(len(have), 16)], ", "),
					"write one of these, or add the value to the experiment")
				break
			}
		}
		g.Where = append(g.Where, a)
	}
}

func (d *decoder) among(s setting, v string, have []string) bool {
	c := s.canonical(v)
	return slices.ContainsFunc(have, func(h string) bool { return s.canonical(h) == c })
}

// other checks the reference of a multiple: a variant, a value of a parameter, or an experiment.
func (d *decoder) other(g *Goal, e *Experiment, subject string, text *node) {
	words := strings.Fields(g.Other)
	switch {
	case words[0] == "variant" && len(words) == 2:
		for _, v := range strings.Split(words[1], "+") {
			if !slices.Contains(d.variants, v) {
				fix := "define the variant under variants:"
				if near := nearest(v, d.variants); near != "" {
					fix = "write variant " + near
				}
				d.bad(diag.VariantUnknown, text.at, subject, fmt.Sprintf("no variant is called %s", quote(v)),
					"variants of the file: "+orNone(d.variants), fix)
			}
		}
	case len(words) == 2 && e != nil:
		have := d.valuesOf(e, words[0])
		s := settingNamed(words[0])
		switch {
		case have == nil && !slices.Contains(parameterKeys(e), words[0]):
			d.bad(diag.GoalInvalid, text.at, subject, fmt.Sprintf("experiment %s does not set %s", e.Name, quote(words[0])),
				"it sets "+orNone(parameterKeys(e)), "write N x KEY VALUE with one of these, N x variant NAME, or N x EXPERIMENT")
		case have != nil && !d.among(s, words[1], have):
			d.bad(diag.GoalInvalid, text.at, subject, fmt.Sprintf("experiment %[3]s does not measure %[1]s %[2]s", words[0],
				quote(words[1]), e.Name),
				"it measures "+strings.Join(have[:min(len(have), 16)], ", "),
				"write one of these, or add the value to the experiment")
		}
	case len(words) == 1 && (d.broken[words[0]] || len(d.experiments(words[0])) > 0):
	default:
		fix := "write N x variant NAME, N x KEY VALUE, or N x EXPERIMENT"
		if near := nearest(words[0], d.experimentNames()); near != "" && len(words) == 1 {
			fix = "did you mean " + near + "?"
		}
		d.bad(diag.GoalInvalid, text.at, subject, fmt.Sprintf("%s is neither a variant, a value nor an experiment",
			quote(g.Other)),
			"experiments: "+orNone(d.experimentNames()), fix)
	}
}
