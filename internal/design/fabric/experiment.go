package fabric

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxCells is how many combinations of values one experiment may have.
const maxCells = 20000

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
			f.bad("method", "the experiment has no method", "a method is "+orList(methods()), "write method: stream")
		}
		if e.Method = f.choice("method", methods()...); e.Method == "" {
			return
		}
		e.Repeats = f.number("repeats", 1, 1000, 0, "a number of repeats")
		d.settings(e, f)
		e.Figure = d.figure(e, f)
		e.Files = d.appFiles(e, f)
		d.endpoints(e, f, own)
	})
}

// settings reads all keys that are axes, in the order of the file.
func (d *decoder) settings(e *Experiment, f *fields) {
	cells := 1
	all := settings()
	for _, p := range f.n.pairs {
		i := slices.IndexFunc(all, func(s setting) bool { return s.name == p.key.text })
		if i < 0 || p.value.kind == null || all[i].name == "files" && e.Method != "copy" { // those of app are no axis
			continue
		}
		s := all[i]
		if s.methods != nil && !slices.Contains(s.methods, e.Method) {
			d.bad(p.key.at, f.subject, fmt.Sprintf("%s has no %s", e.Method, s.name), s.name+" is for "+orList(s.methods), "take it out, or choose another method")
			continue
		}
		a, ok := d.axis(p.key, p.value, f.subject, e.Method, s)
		if !ok {
			a.Values = nil
		}
		e.Axes = append(e.Axes, a)
		if cells *= max(len(a.Values), 1); cells > maxCells {
			d.bad(p.key.at, f.subject, fmt.Sprintf("its lists multiply to more than %d combinations", maxCells), "linerate's limit; each takes seconds to measure", "shorten the lists, or split the experiment")
			return
		}
	}
	if e.Method == "proof" {
		d.proves(e, f)
	}
	if e.Method == "app" {
		d.app(e, f)
	}
}

func (d *decoder) figure(e *Experiment, f *fields) *Figure {
	n := f.get("figure")
	if n == nil {
		return nil
	}
	if e.Method != "app" {
		f.bad("figure", e.Method+" has no figure", "figure is for app", "take it out")
		return nil
	}
	g, ok := d.fields(n, "figure", f.subject+", figure", n.at)
	if !ok {
		return nil
	}
	fig := &Figure{Match: g.text("match"), Unit: g.text("unit")}
	re, err := regexp.Compile(fig.Match)
	switch {
	case fig.Match == "":
		g.bad("match", "the figure has no match", "", "write match: 'time (\\S+)' with the figure in ( )")
	case err != nil:
		message, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "error parsing regexp: "), "\n")
		g.bad("match", fmt.Sprintf("%s is no regular expression: %s", quote(fig.Match), visible(message)), "the syntax is RE2's, in single quotes", "correct it")
	case re.NumSubexp() != 1:
		g.bad("match", fmt.Sprintf("it has %d groups", re.NumSubexp()), "the figure is what the one group ( ) matches", "put ( ) around the figure; use (?: ) for others")
	}
	return fig
}

// DefaultExperiments is what a run measures if the file has no experiments:
// ping, and stream in both directions, on every link.
func (f *Fabric) DefaultExperiments() []*Experiment {
	return []*Experiment{
		{Name: "ping", Method: "ping", On: []string{"links"}},
		{Name: "stream", Method: "stream", On: []string{"links"}, Axes: []Axis{{Key: "direction", Values: []string{"out", "in"}}}},
	}
}
