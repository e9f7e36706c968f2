package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/explain"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
)

// opened reads a run, and says on standard error what is damaged or missing of it.
func (e *env) opened(ref string) (*runfolder.Opened, error) { return e.openedBy(runfolder.Open, ref) }

// figures is opened for what needs the figures of a run alone.
func (e *env) figures(ref string) (*runfolder.Opened, error) {
	sparingly()
	return e.openedBy(runfolder.OpenBrief, ref)
}

func (e *env) openedBy(open func(ref, runsDir string) (*runfolder.Opened, error), ref string) (*runfolder.Opened, error) {
	o, err := open(ref, "runs")
	if err != nil {
		return nil, inputOr(err)
	}
	e.notes(o)
	return o, nil
}

// notes says on standard error what is damaged or missing of a run.
func (e *env) notes(o *runfolder.Opened) {
	for _, n := range o.Notes {
		fmt.Fprintln(e.err, clean(n))
	}
}

// sparingly has garbage collected more often where memory becomes much: reading a very large run leaves much of it.
func sparingly() { debug.SetMemoryLimit(220 << 20) }

// explained finds the verdicts of a run again, from its records and captures. Those of a page, which has no captures, stay as they are.
func explained(o *runfolder.Opened) error {
	if o.Page {
		return nil
	}
	return explainedWith(o, pastedFlags{}, nil)
}

// evidence says what verdicts cannot be found again by: of a page there are no captures, of a folder some may be gone.
func (e *env) evidence(o *runfolder.Opened) {
	if o.Page {
		fmt.Fprintln(e.err, clean(fmt.Sprintf("%s has no captures: its verdicts are those that linerate %s found, and more can be said with the run's folder", o.Dir, o.Run.Version)))
	}
	if gone := o.Lacking(); len(gone) > 0 {
		fmt.Fprintln(e.err, clean(fmt.Sprintf("%s: %s of the manifest missing or changed (%s): verdicts that rest on them are not found", o.Dir, report.Count(len(gone), "capture"), firstOf(gone, 3))))
	}
}

// runWords say in each help what RUN may be.
const runWords = "RUN is a run folder, its four letters, latest, or its page (report.html, own or sent)."

// explainedWith also takes what switches printed before and after. Mistakes in that come together.
func explainedWith(o *runfolder.Opened, pasted pastedFlags, wrong *mistakes) error {
	plans, err := plansOf(o)
	if err != nil {
		return err
	}
	read := pasted.read(o, plans[0], wrong)
	if wrong != nil && wrong.err() != nil {
		return wrong.err()
	}
	explain.Variants(plans, o.Run, read)
	o.Run.Comparisons = report.Variants(o.Run)
	return nil
}

// plansOf builds the plans of a run again, from the fabric's text in it: its own first, then those of its variants.
func plansOf(o *runfolder.Opened) ([]*plan.Plan, error) {
	catalog, err := recordedCatalog(o)
	if err != nil {
		return nil, err
	}
	if o.Run.FabricText == "" {
		return []*plan.Plan{explain.RecordedPlan(o.Run)}, nil
	}
	var plans []*plan.Plan
	for _, variant := range append([]string{o.Run.Variant}, o.Run.Variants...) {
		f, problems := fabric.Parse(o.Run.FabricPath, []byte(o.Run.FabricText), fabric.Options{Variant: variant, Catalog: catalog})
		if len(problems) > 0 {
			return nil, fail(exitInput, fmt.Errorf("the fabric in %s is no longer understood by this version:\n%w", o.Dir, problems))
		}
		plans = append(plans, plan.Build(f))
	}
	return plans, nil
}

func (e *env) reportCommand() *cobra.Command {
	var asJSON bool
	var junit string
	c := &cobra.Command{
		Use:   "report RUN",
		Short: "Print a run's report again and write its page if it has none",
		Long:  runWords,
		Example: `  linerate report latest
  linerate report runs/2026-11-23T2210-home-k7qd --json
  linerate report k7qd --junit goals.xml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := junitFile(junit); err != nil {
				return fail(exitInput, err)
			}
			open := e.figures
			if asJSON {
				open = e.opened // whoever asks for the record wants all of it
			}
			o, err := open(args[0])
			if err != nil {
				return err
			}
			if o.LeftOut != "" {
				fmt.Fprintln(e.err, clean(fmt.Sprintf("%s is a very large run: this is without %s; manifest.json and samples.parquet have them", o.Dir, o.LeftOut)))
			}
			if !o.Complete {
				// A run that was cut off has no verdicts yet.
				if err := explained(o); err != nil {
					return err
				}
			}
			if junit != "" {
				if err := writeGoals(junit, o.Run); err != nil {
					return err
				}
			}
			return e.print(o, asJSON)
		},
	}
	c.Flags().StringVar(&junit, "junit", "", junitUsage)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func (e *env) explainCommand() *cobra.Command {
	var f claimFlags
	var pasted pastedFlags
	c := &cobra.Command{
		Use:   "explain [RUN]",
		Short: "Find the verdicts of a run again; or explain what another tool measured",
		Long: runWords + `
The verdicts of a folder are found again, with this version's causes; a page has no captures, and its verdicts are shown. Nothing is written.
What switches that linerate does not reach printed of their counters before and after the run's one experiment is taken with
--before and --after: folders as of check --captures, DIR/SWITCH/FILE or DIR/SWITCH.txtar.

Without a run: what another tool printed (FILE, or FILE@MTU; two at two MTUs tell what a packet and a byte cost), or a figure by
itself (--figure), held against the link, the slot and the drive that --rate and the other flags of linerate ceiling name.
docs/figures.md has examples.`,
		Example: `  linerate explain latest
  linerate explain latest --before switches-before --after switches-after
  linerate explain --iperf3 small.txt@1500,jumbo.txt@9000 --rate 40G --no-timestamps
  linerate explain --perftest sweep.txt --rate 100G --pcie 3.0x8
  linerate explain --crystaldiskmark cdm.txt --drive sata3
  linerate explain --figure 9.6G --rate 10G
  linerate explain --figure 93G --rate 100G --transport rocev2 --path-mtu 1024`,
		Args:        cobra.MaximumNArgs(1),
		Annotations: map[string]string{checksItself: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.given = changed(cmd.Flags())
			if len(args) == 0 {
				for _, name := range []string{"before", "after"} {
					if f.isGiven(name) {
						e.wrong.add(fmt.Errorf("--%s: it is of a run; name the run, as in linerate explain latest", name))
					}
				}
				return e.explainClaims(&f)
			}
			f.onlyWithout("a run says it; leave it out, or explain a figure without a run", &e.wrong, "json", "before", "after")
			if err := e.wrong.err(); err != nil {
				return err
			}
			o, err := e.opened(args[0])
			if err != nil {
				return err
			}
			switch {
			case o.Page && (pasted.before != "" || pasted.after != ""):
				return fail(exitInput, fmt.Errorf("--before, --after: %s has no captures to hold them against; give the run's folder", clean(o.Dir)))
			case o.Page:
				e.evidence(o)
			default:
				e.evidence(o)
				if err := explainedWith(o, pasted, &e.wrong); err != nil {
					return err
				}
			}
			return e.show(o, f.asJSON)
		},
	}
	f.define(c.Flags())
	c.Flags().StringVar(&pasted.before, "before", "", "folder with what switches printed before the run")
	c.Flags().StringVar(&pasted.after, "after", "", "folder with what they printed after it")
	return c
}

// print shows a run, and writes its page if it has none: one beside the other, because of very large runs either takes a second.
func (e *env) print(o *runfolder.Opened, asJSON bool) error {
	page := filepath.Join(o.Dir, runfolder.ReportName)
	if _, err := os.Stat(page); asJSON || o.Page || !errors.Is(err, os.ErrNotExist) {
		return e.show(o, asJSON)
	}
	found := report.Find(o.Run)
	written := make(chan error, 1)
	go func() { written <- runfolder.WriteFile(page, found.HTML) }()
	var text bytes.Buffer
	t := e.terminal()
	t.Out, t.Page, t.Found = &text, page, found
	err := t.Run(o.Run)
	if failed := <-written; failed != nil {
		// The run can still be read: its folder may be on a full disk, or another user's.
		fmt.Fprintf(e.err, "no page: %v\n", failed)
		return e.show(o, asJSON)
	}
	if err != nil {
		return err
	}
	_, err = e.out.Write(text.Bytes())
	return err
}

// show shows a run and writes nothing.
func (e *env) show(o *runfolder.Opened, asJSON bool) error {
	if asJSON {
		return report.JSON(e.out, o.Run)
	}
	t := e.terminal()
	if page := filepath.Join(o.Dir, runfolder.ReportName); o.Page {
		t.Page = o.Dir
	} else if fileThere(page) {
		t.Page = page
	}
	return t.Run(o.Run)
}

func fileThere(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
