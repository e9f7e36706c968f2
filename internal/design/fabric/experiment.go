package fabric

import (
	"fmt"
	"regexp"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
)

// maxCombinations is how many combinations of values one experiment may have.
const maxCombinations = 20000

func (d *decoder) allExperiments(n *node) {
	d.each(n, "experiment", single(), func(name, group string, p pair, own, _ step) {
		before := len(d.f.Experiments)
		defer func() {
			if len(d.f.Experiments) == before {
				d.broken[name] = true
			}
		}()
		f, ok := d.fields(p.value, "experiment", "experiment "+quoteName(group), p.key.at)
		if !ok {
			return
		}
		e := &Experiment{Name: name, At: p.key.at, Note: f.Note}
		if !f.has("method") {
			f.bad(diag.KeyMissing, "method", "missing key method", "a method is "+orList(Methods()), "write method: throughput")
		}
		if e.Method = f.method(); e.Method == "" {
			return
		}
		e.Repeats = f.number("repeats", 1, 1000, 0, "a number of repeats")
		d.settings(e, f)
		e.Figure = d.figure(e, f)
		e.Files = d.appFiles(e, f)
		d.endpoints(e, f, own)
	})
}

// method reads the method of an experiment, by its name or alias.
func (f *fields) method() string {
	n := f.scalar("method")
	if n == nil {
		return ""
	}
	if m := method.Named(n.text); m.Known() {
		return m.Name
	}
	f.bad(diag.ValueUnknown, "method", fmt.Sprintf("unknown method %s", quote(n.text)),
		"method is "+orList(Methods()), meantMethod(n.text))
	return ""
}

// settings reads all keys that are parameters, in the order of the file.
func (d *decoder) settings(e *Experiment, f *fields) {
	combinations := 1
	m := method.Named(e.Method)
	for _, p := range f.n.pairs {
		of, ok := method.SettingOf(p.key.text)
		if !ok || p.value.kind == null || of.Key == "files" && !m.CopiesFiles { // files of a command are names
			continue
		}
		s := setting{of}
		if !s.Of(e.Method) {
			d.bad(diag.SettingUnfit, p.key.at, f.subject, fmt.Sprintf("%s has no %s", e.Method, s.Key),
				fmt.Sprintf("methods with %s: %s", s.Key, strings.Join(s.Methods, ", ")),
				"delete "+s.Key+", or choose another method")
			continue
		}
		a, ok := d.parameter(p.key, p.value, f.subject, e.Method, s)
		if !ok {
			a.Values = nil
		}
		e.Parameters = append(e.Parameters, a)
		if combinations *= max(len(a.Values), 1); combinations > maxCombinations {
			d.bad(diag.TooLarge, p.key.at, f.subject, fmt.Sprintf("the lists make more than %d combinations", maxCombinations),
				"each takes seconds to measure", "shorten the lists, or split the experiment")
			return
		}
	}
	if m.ProvesClasses {
		d.proves(e, f)
	}
	if m.RunsCommand {
		d.app(e, f)
	}
}

func (d *decoder) figure(e *Experiment, f *fields) *Figure {
	n := f.get("extract")
	if n == nil {
		return nil
	}
	if !method.Named(e.Method).RunsCommand {
		f.bad(diag.SettingUnfit, "extract", e.Method+" has no output to extract from", "only command has extract",
			"delete extract")
		return nil
	}
	g, ok := d.fields(n, "extract", f.subject+", extract", n.at)
	if !ok {
		return nil
	}
	fig := &Figure{Match: g.text("match"), Unit: g.text("unit")}
	re, err := regexp.Compile(fig.Match)
	switch {
	case fig.Match == "":
		g.bad(diag.KeyMissing, "match", "missing key match", "", "write match: 'time (\\S+)' with the figure in ( )")
	case err != nil:
		message, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "error parsing regexp: "), "\n")
		g.bad(diag.PatternInvalid, "match", fmt.Sprintf("%s is not a regular expression: %s", quote(fig.Match),
			visible(message)),
			"the syntax is RE2's", "write it in single quotes: 'time (\\S+)'")
	case re.NumSubexp() != 1:
		g.bad(diag.PatternInvalid, "match", fmt.Sprintf("the pattern has %d groups", re.NumSubexp()),
			"the figure is what the one group ( ) matches",
			"put ( ) around the figure, and (?: ) around other groups")
	}
	return fig
}

// DefaultExperiments returns what a run measures if the file has no experiments: latency, and throughput in both
// directions, on every link.
func (f *Fabric) DefaultExperiments() []*Experiment {
	return []*Experiment{
		{Name: method.Latency, Method: method.Latency, On: []string{"links"}},
		{Name: method.Throughput, Method: method.Throughput, On: []string{"links"},
			Parameters: []Parameter{{Key: "direction", Values: []string{"out", "in"}}}},
	}
}
