package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/published"
)

func isBaseline(ref string) bool { return strings.HasPrefix(ref, published.Prefix) }

// completeBaselines offers the names of documents behind their prefix.
func completeBaselines(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, name := range published.Names() {
		if s := published.Prefix + name; strings.HasPrefix(s, begun) {
			out = append(out, s)
		}
	}
	return out, cobra.ShellCompDirectiveDefault
}

// compareBaselines holds one run against published figures.
func (e *env) compareBaselines(refs []string, by, pair, page string, asJSON bool) error {
	var own []string
	var docs []*published.Baseline
	for _, ref := range refs {
		if !isBaseline(ref) {
			own = append(own, ref)
			continue
		}
		b, err := published.Load(strings.TrimPrefix(ref, published.Prefix))
		if err != nil {
			e.wrong.add(fail(exitInput, fmt.Errorf("%s: %w", clean(ref), err)))
			continue
		}
		if !slices.ContainsFunc(docs, func(d *published.Baseline) bool { return d.Name == b.Name }) {
			docs = append(docs, b)
		}
	}
	switch {
	case len(own) != 1:
		e.wrong.add(fmt.Errorf("published figures are held against one run, and %d are named; write linerate compare latest %sNAME", len(own), published.Prefix))
	case isCardFile(own[0]):
		e.wrong.add(fmt.Errorf("%s: published figures are held against a run, which says what it measured with which settings; a card does not", clean(nameOf(own[0]))))
	}
	for name, v := range map[string]string{"by": by, "pair": pair} {
		if v != "" {
			e.wrong.add(fmt.Errorf("--%s %s: it is of runs and cards, not of published figures; leave it out", name, clean(v)))
		}
	}
	if err := e.wrong.err(); err != nil {
		return err
	}
	o, err := e.opened(own[0])
	if err != nil {
		return err
	}
	set := report.ComparisonSet{Schema: "linerate/compare/1", Runs: []string{clean(o.Run.ID)}, Facts: runMachines(o.Run), Comparisons: []record.Comparison{},
		Notes: []string{"a document has one figure of each thing, mostly without repeats: a ratio to it shows no difference from chance, whatever its size"}}
	for _, b := range docs {
		a := published.Align(o.Run, b)
		d := report.Document{Name: b.Name, Source: b.Source(), Note: b.Note, Systems: []string{}, Figures: a.Rows}
		for _, s := range b.Systems {
			d.Systems = append(d.Systems, joinedWords(s.Name+": "+s.System, s.Processor, s.Card, s.Slot))
		}
		set.Documents, set.Comparisons = append(set.Documents, d), append(set.Comparisons, a.Comparisons...)
		for _, r := range a.Refused {
			if len(docs) > 1 {
				r.What = b.Name + ": " + r.What
			}
			set.Refused = append(set.Refused, r)
		}
		set.Notes = append(set.Notes, fmt.Sprintf("%s: %d of its %d figures stand beside something that the run measured (a run can be held against %d of them); %s says how they are aligned and which others it has", b.Name, len(a.Comparisons), len(b.Rows), a.Rows, "baselines/"+b.Name+".yaml"))
	}
	if lab := o.Run.Lab; lab != nil {
		set.Notes = append(set.Notes, "run "+clean(o.Run.ID)+" was measured in a lab on one machine"+labScale(lab)+": its rates are those of shapers, not of cards")
	}
	return e.printCompared([]*record.Run{o.Run}, set, page, asJSON)
}

func labScale(lab *record.Lab) string {
	if lab.Scale >= 1 || lab.Scale <= 0 {
		return ""
	}
	return fmt.Sprintf(", with every rate at %.3g of the planned one", lab.Scale)
}

// runMachines are the hosts of a run, as it saw them.
func runMachines(r *record.Run) []string {
	var out []string
	for _, h := range r.Hosts {
		var cards []string
		for _, p := range r.Plan.Hosts {
			if p.Name != h.Name {
				continue
			}
			for _, c := range p.Cards {
				cards = append(cards, joinedWords(c.Part, c.Slot))
			}
		}
		out = append(out, joinedWords(h.Name+": "+cmp.Or(joinedWords(h.OS, h.Kernel), "system not known"), cmp.Or(h.CPU, "processor not known"), strings.Join(cards, ", ")))
	}
	if r.Lab != nil {
		out = append(out, "a lab: the machines are namespaces or guests of one")
	}
	return out
}

func joinedWords(words ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(s string) bool { return s == "" }), ", ")
}

// baselinesJSON is what compare --baselines --json prints.
type baselinesJSON struct {
	Schema    string         `json:"schema"`
	Baselines []baselineList `json:"baselines"`
}

// baselineList is what --baselines says of a document.
type baselineList struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Note    string `json:"note,omitempty"`
	Example string `json:"example"`
	Figures int    `json:"figures"`
	Aligned int    `json:"aligned"` // of these, those that something can be held against
}

// listBaselines prints the documents of this version.
func (e *env) listBaselines(args []string, asJSON bool) error {
	if len(args) > 0 {
		return fail(exitInput, fmt.Errorf("--baselines lists documents and takes no words, and %s is given; leave it out, or leave --baselines out", clean(strings.Join(args, " "))))
	}
	out := baselinesJSON{"linerate/baselines/1", []baselineList{}}
	for _, name := range published.Names() {
		b, err := published.Load(name)
		if err != nil {
			return err
		}
		x := baselineList{Name: b.Name, Source: b.Source(), Note: b.Note, Example: b.Example, Figures: len(b.Rows)}
		for _, r := range b.Rows {
			if r.Not == "" {
				x.Aligned++
			}
		}
		out.Baselines = append(out.Baselines, x)
	}
	if asJSON {
		enc := json.NewEncoder(e.out)
		enc.SetIndent("", "  ")
		return enc.Encode(out)
	}
	var all []report.Named
	for _, b := range out.Baselines {
		all = append(all, report.Named{Name: published.Prefix + b.Name, Text: fmt.Sprintf("%s; %d figures, %d of them of things that %s measures", b.Source, b.Figures, b.Aligned, b.Example)})
	}
	return e.terminal().List(all)
}
