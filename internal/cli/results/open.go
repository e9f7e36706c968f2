package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/explain"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
	"linerate/internal/report/brief"
	"linerate/internal/report/compare"
	"linerate/internal/report/highlight"
	"linerate/internal/report/page"
	"linerate/internal/report/terminal"
)

// Open reads a run, and reports on standard error what is damaged or missing.
func Open(e *cli.Env, ref string) (*runfolder.Opened, error) {
	return openBy(e, runfolder.Open, ref)
}

// OpenFigures is Open for callers that only need the figures.
func OpenFigures(e *cli.Env, ref string) (*runfolder.Opened, error) {
	sparingly()
	return openBy(e, runfolder.OpenBrief, ref)
}

func openBy(e *cli.Env, open func(ref, runsDir string) (*runfolder.Opened, error),
	ref string) (*runfolder.Opened, error) {
	o, err := open(ref, "runs")
	if err != nil {
		return nil, cli.InputOr(err)
	}
	printNotes(e, o)
	return o, nil
}

// printNotes reports on standard error what is damaged or missing in a run.
func printNotes(e *cli.Env, o *runfolder.Opened) {
	for _, n := range o.Notes {
		fmt.Fprintln(e.Err, cli.Clean(n))
	}
}

// sparingly limits the memory: reading a very large run leaves much garbage.
func sparingly() { debug.SetMemoryLimit(220 << 20) }

// Explained recomputes the verdicts of a run from its records and snapshots. Those of a page, which has no snapshots,
// stay unchanged.
func Explained(o *runfolder.Opened) error {
	if o.Page {
		return nil
	}
	return ExplainWith(o, PastedFlags{}, nil)
}

// PrintEvidence reports what evidence is missing for recomputing verdicts: a page has no snapshots, a folder may have
// lost some.
func PrintEvidence(e *cli.Env, o *runfolder.Opened) {
	if o.Page {
		fmt.Fprintln(e.Err, cli.Clean(fmt.Sprintf(
			"%s has no snapshots: its verdicts are those that linerate %s found, and more can be said with the run's folder",
			o.Dir, o.Run.Version)))
	}
	if gone := o.Missing(); len(gone) > 0 {
		fmt.Fprintln(e.Err, cli.Clean(
			fmt.Sprintf("%s: %s of the manifest missing or changed (%s): verdicts that rest on them are not found", o.Dir,
				unit.Counted(len(gone), "snapshot"), cli.FirstOf(gone, 3))))
	}
}

// RunWords describe in each help what RUN may be.
const RunWords = "RUN is a run folder, its four letters, latest, or its page (report.html, own or sent)."

// ExplainWith also takes the saved outputs of switches from before and after. Its errors come together.
func ExplainWith(o *runfolder.Opened, pasted PastedFlags, wrong *cli.Errors) error {
	plans, err := plansOf(o)
	if err != nil {
		return err
	}
	read := pasted.read(o, plans[0], wrong)
	if wrong != nil && wrong.Err() != nil {
		return wrong.Err()
	}
	explain.Variants(plans, o.Run, read)
	o.Run.Comparisons = compare.Variants(o.Run)
	return nil
}

// plansOf rebuilds the plans of a run from the fabric's text in it: its own first, then those of its variants.
func plansOf(o *runfolder.Opened) ([]*plan.Plan, error) {
	catalog, err := RecordedCatalog(o)
	if err != nil {
		return nil, err
	}
	if o.Run.FabricText == "" {
		return []*plan.Plan{explain.RecordedPlan(o.Run)}, nil
	}
	var plans []*plan.Plan
	for _, variant := range append([]string{o.Run.Variant}, o.Run.Variants...) {
		f, problems := fabric.Parse(o.Run.FabricPath, []byte(o.Run.FabricText),
			fabric.Options{Variant: variant, Catalog: catalog})
		if len(problems) > 0 {
			return nil, cli.Fail(cli.ExitInput,
				fmt.Errorf("the fabric in %s is no longer understood by this version:\n%w", o.Dir, problems))
		}
		plans = append(plans, plan.Build(f))
	}
	return plans, nil
}

// Print prints a run, and writes its page if it has none: in parallel, as each takes a second for very large runs.
func Print(e *cli.Env, o *runfolder.Opened, v report.Views, asJSON bool) error {
	name := filepath.Join(o.Dir, runfolder.ReportName)
	if _, err := os.Stat(name); asJSON || o.Page || !errors.Is(err, os.ErrNotExist) {
		return Show(e, o, v, asJSON)
	}
	found := highlight.Find(o.Run)
	written := make(chan error, 1)
	go func() {
		written <- runfolder.WriteFile(name, func(w io.Writer) error { return page.FoundHTML(w, found) })
	}()
	var text bytes.Buffer
	t := e.Terminal()
	t.Out, t.Page = &text, name
	err := printViews(t, found, v, o)
	if failed := <-written; failed != nil {
		// The run can still be read: its folder may be on a full disk, or another user's.
		fmt.Fprintf(e.Err, "no page: %v\n", failed)
		return Show(e, o, v, asJSON)
	}
	if err != nil {
		return err
	}
	_, err = e.Out.Write(text.Bytes())
	return err
}

// printViews prints the parts of a report that are asked for, or the report in short.
func printViews(t terminal.Terminal, f *highlight.Found, v report.Views, o *runfolder.Opened) error {
	if v.Any() {
		return v.Print(t, f)
	}
	return brief.Print(t, f, brief.Reference(o.Dir, o.Run.ID))
}

// Show prints a run and writes nothing.
func Show(e *cli.Env, o *runfolder.Opened, v report.Views, asJSON bool) error {
	if asJSON {
		return report.JSON(e.Out, o.Run)
	}
	t := e.Terminal()
	if page := filepath.Join(o.Dir, runfolder.ReportName); o.Page {
		t.Page = o.Dir
	} else if FileThere(page) {
		t.Page = page
	}
	return printViews(t, highlight.Find(o.Run), v, o)
}

// FileThere reports whether a path is a file.
func FileThere(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// RecordedCatalog is the catalogue overlaid with the parts in the run's record; the current parts in the user's folders
// do not matter.
func RecordedCatalog(o *runfolder.Opened) (*catalog.Catalog, error) {
	c, err := catalog.Load()
	if err != nil || len(o.Run.Parts) == 0 {
		return c, err
	}
	var files []catalog.File
	for _, f := range o.Run.Parts {
		files = append(files, catalog.File{Name: f.Name, Text: []byte(f.Text)})
	}
	over, problems := c.With(files...)
	if len(problems) > 0 {
		return nil, cli.Fail(cli.ExitInput,
			fmt.Errorf("the files of parts in %s are no longer understood by this version:\n%w", o.Dir, problems))
	}
	return over, nil
}
