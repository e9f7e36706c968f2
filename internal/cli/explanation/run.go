package explanation

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/cli/results"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/format"
)

// ofRun explains one verdict of a run again, or all of them with what switches printed before and after it.
func ofRun(e *cli.Env, o Options, words []string) error {
	ref, wrong := words[0], &e.Errors
	o.Claims.OnlyWithout("a run has it; omit it, or explain a value without a run", wrong, "json", "before", "after")
	pasted := o.Pasted.Before != "" || o.Pasted.After != ""
	if err := wrong.Err(); err != nil {
		return err
	}
	if len(words) > 2 {
		wrong.Add(&cli.Advice{Text: "too many words: " + cli.Clean(strings.Join(words[2:], " ")),
			Help: []string{"linerate explain RUN PATH"}})
		return wrong.Err()
	}
	opened, err := results.Open(e, ref)
	if err != nil {
		return err
	}
	if len(words) == 1 && !pasted && !o.Claims.AsJSON {
		wrong.Add(&cli.Advice{Text: "linerate explain RUN needs a path",
			Help: []string{fmt.Sprintf("linerate report %s prints the report", cli.Clean(ref)),
				fmt.Sprintf("linerate explain %s %q explains one path", cli.Clean(ref), firstPath(opened.Run))}})
		return wrong.Err()
	}
	if opened.Page && pasted {
		wrong.Add(&cli.Advice{Text: "--before, --after: " + cli.Clean(opened.Dir) +
			" has no snapshots; give the run's folder"})
		return wrong.Err()
	}
	results.PrintEvidence(e, opened)
	if !opened.Page {
		if err := results.ExplainWith(opened, o.Pasted, wrong); err != nil {
			return err
		}
	}
	if len(words) == 1 {
		return results.Show(e, opened, report.Views{All: true}, o.Claims.AsJSON)
	}
	return onePath(e, opened.Run, words[1], o.Claims.AsJSON)
}

// firstPath is a path for an example: the one that is farthest below its ceiling.
func firstPath(r *record.Run) string {
	var of *record.Experiment
	share := func(x *record.Experiment) float64 {
		if x.Verdict == nil || x.Verdict.ShareOfCeiling == nil {
			return 2
		}
		return *x.Verdict.ShareOfCeiling
	}
	for _, x := range r.Experiments {
		if of == nil || share(x) < share(of) {
			of = x
		}
	}
	if of == nil {
		return "PATH"
	}
	return format.Clean(of.Path())
}

// names returns what may be written for the path of an experiment: its path, its id, its name, and its links.
func names(x *record.Experiment) []string {
	return append([]string{format.Clean(x.Path()), x.ID, x.Name, strings.ReplaceAll(format.Clean(x.Path()), " ", "")},
		x.Links...)
}

// onePath prints the verdicts of one path.
func onePath(e *cli.Env, r *record.Run, path string, asJSON bool) error {
	of := xslices.Filter(r.Experiments, func(x *record.Experiment) bool { return slices.Contains(names(x), path) })
	if len(of) == 0 {
		var paths []string
		for _, x := range r.Experiments {
			paths = xslices.AppendNew(paths, format.Clean(x.Path()))
		}
		return cli.Fail(cli.ExitInput, &cli.Advice{Text: fmt.Sprintf("the run has no path %q", cli.Clean(path)),
			Help: []string{"the paths are " + cli.FirstOf(paths, 8)}})
	}
	if asJSON {
		return e.PrintObject("verdicts", Verdicts{of})
	}
	one := *r
	one.Experiments = of
	return report.PrintVerdicts(e.Terminal(), &one)
}

// Verdicts is the JSON of explain RUN PATH.
type Verdicts struct {
	Experiments []*record.Experiment `json:"experiments"`
}
