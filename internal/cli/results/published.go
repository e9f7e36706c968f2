package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/compare"
	"linerate/internal/report/published"
)

// IsPublished reports whether a name refers to published results.
func IsPublished(ref string) bool { return strings.HasPrefix(ref, published.Prefix) }

// CompletePublished completes the names of documents after their prefix.
func CompletePublished(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, name := range published.Names() {
		if s := published.Prefix + name; strings.HasPrefix(s, begun) {
			out = append(out, s)
		}
	}
	return out, cobra.ShellCompDirectiveDefault
}

// ComparePublished compares one run with published figures.
func ComparePublished(e *cli.Env, refs []string, by, pair, page string, asJSON bool) error {
	var own []string
	var docs []*published.Baseline
	for _, ref := range refs {
		if !IsPublished(ref) {
			own = append(own, ref)
			continue
		}
		b, err := published.Load(strings.TrimPrefix(ref, published.Prefix))
		if err != nil {
			e.Errors.Add(cli.Fail(cli.ExitInput, fmt.Errorf("%s: %w", cli.Clean(ref), err)))
			continue
		}
		if !slices.ContainsFunc(docs, func(d *published.Baseline) bool { return d.Name == b.Name }) {
			docs = append(docs, b)
		}
	}
	switch {
	case len(own) != 1:
		e.Errors.Add(
			cli.Advise(fmt.Errorf("published figures are compared with one run, and %d are named", len(own)),
				fmt.Sprintf("write linerate compare latest %sNAME", published.Prefix)))
	case IsSummaryFile(own[0]):
		e.Errors.Add(cli.Advise(
			fmt.Errorf("%s: published figures are compared with a run, which has its settings",
				cli.Clean(nameOf(own[0])))).
			Note("a summary does not"))
	}
	for name, v := range map[string]string{"by": by, "pair": pair} {
		if v != "" {
			e.Errors.Add(
				cli.Advise(fmt.Errorf("--%s %s: it is of runs and summaries, not of published figures", name, cli.Clean(v)),
					"omit it"))
		}
	}
	if err := e.Errors.Err(); err != nil {
		return err
	}
	o, err := Open(e, own[0])
	if err != nil {
		return err
	}
	set := compare.ComparisonSet{
		Schema:      "linerate/compare/1",
		Runs:        []string{cli.Clean(o.Run.ID)},
		Facts:       runMachines(o.Run),
		Comparisons: []record.Comparison{},
		Notes: []string{
			"a document has one figure of each thing, mostly without repeats: a ratio to it shows no difference from chance, " +
				"whatever its size",
		},
	}
	for _, b := range docs {
		a := published.Align(o.Run, b)
		d := compare.Document{Name: b.Name, Source: b.Source(), Note: b.Note, Systems: []string{}, Figures: a.Rows}
		for _, s := range b.Systems {
			d.Systems = append(d.Systems, joinedWords(s.Name+": "+s.System, s.CPU, s.NIC, s.Slot))
		}
		set.Documents, set.Comparisons = append(set.Documents, d), append(set.Comparisons, a.Comparisons...)
		for _, r := range a.Refused {
			if len(docs) > 1 {
				r.What = b.Name + ": " + r.What
			}
			set.Refused = append(set.Refused, r)
		}
		set.Notes = append(set.Notes, fmt.Sprintf(
			"%s: the run measured the same as %d of its %d figures (a run can be compared with %d of them); "+
				"%s says how they are aligned and which others it has", b.Name, len(a.Comparisons), len(b.Rows), a.Rows,
			"baselines/"+b.Name+".yaml"))
	}
	if lab := o.Run.Lab; lab != nil {
		set.Notes = append(set.Notes, "run "+cli.Clean(
			o.Run.ID)+" was measured in a lab on one machine"+labScale(lab)+": its rates are those of shapers, not of NICs")
	}
	return printCompared(e, []*record.Run{o.Run}, set, page, asJSON)
}

func labScale(lab *record.Lab) string {
	if lab.Scale >= 1 || lab.Scale <= 0 {
		return ""
	}
	return fmt.Sprintf(", with every rate at %.3g of the planned one", lab.Scale)
}

// runMachines are the hosts of a run, as it recorded them.
func runMachines(r *record.Run) []string {
	var out []string
	for _, h := range r.Hosts {
		var adapters []string
		for _, p := range r.Plan.Hosts {
			if p.Name != h.Name {
				continue
			}
			for _, c := range p.NICs {
				adapters = append(adapters, joinedWords(c.Part, c.Slot))
			}
		}
		out = append(out, joinedWords(h.Name+": "+cmp.Or(joinedWords(h.OS, h.Kernel), "system not known"),
			cmp.Or(h.CPU, "CPU not known"), strings.Join(adapters, ", ")))
	}
	if r.Lab != nil {
		out = append(out, "a lab: the machines are namespaces or guests of one")
	}
	return out
}

func joinedWords(words ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(words), func(s string) bool { return s == "" }), ", ")
}

// baselinesJSON is the JSON of compare --baselines.
type baselinesJSON struct {
	Schema    string         `json:"schema"`
	Baselines []baselineList `json:"baselines"`
}

// baselineList describes a document in --baselines.
type baselineList struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Note    string `json:"note,omitempty"`
	Example string `json:"example"`
	Figures int    `json:"figures"`
	Aligned int    `json:"aligned"` // of these, those with a counterpart in runs
}

// ListPublished prints the documents of this version.
func ListPublished(e *cli.Env, args []string, asJSON bool) error {
	if len(args) > 0 {
		return cli.Fail(cli.ExitInput,
			cli.Advise(
				fmt.Errorf("--baselines lists documents and takes no words, and %s is given",
					cli.Clean(strings.Join(args, " "))),
				"omit it, or --baselines"))
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
		enc := json.NewEncoder(e.Out)
		enc.SetIndent("", "  ")
		return enc.Encode(out)
	}
	var all []report.Named
	for _, b := range out.Baselines {
		all = append(all, report.Named{
			Name: published.Prefix + b.Name,
			Text: fmt.Sprintf("%s; %d figures, %d of them of things that %s measures", b.Source, b.Figures, b.Aligned,
				b.Example),
		})
	}
	return report.PrintList(e.Terminal(), all)
}

// PublishedType is the type of the JSON of linerate compare --baselines.
func PublishedType() reflect.Type {
	return reflect.TypeFor[baselinesJSON]()
}
