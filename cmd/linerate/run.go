package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"linerate/explain"
	"linerate/lab"
	"linerate/plan"
	"linerate/reach"
	"linerate/report"
	"linerate/result"
	"linerate/run"
	"linerate/unit"
)

// runFlags are the flags of the verb run.
type runFlags struct {
	resume, asJSON                   bool
	lab                              string // newLab, or the id of one that is up; empty: none
	scale                            float64
	folder, only, variant, agentFile string
	budget                           string
	repeats                          int
}

func (e *env) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run FABRIC.yaml",
		Short: "The main job: plan, facts, measure, explain, report",
		Long: `Measures every experiment of the fabric and says what each path carries, what its
ceiling is, what limits it, and whether the goals are met. With --lab the fabric
is built on this machine out of network namespaces first, and taken down again.

Results go into a folder of their own, by default ./runs/DATE-FABRIC-XXXX.`,
		Example: `  linerate run examples/mesh-10g.yaml --lab
  linerate run home.yaml --only line-rate
  linerate run home.yaml --budget 90s -o /tmp/home
  linerate run home.yaml --resume                    go on with the run that was interrupted`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return e.runFabric(c.Context(), args[0], f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.lab, "lab", "", "build the fabric on this machine out of namespaces (Linux); --lab=ID: in a lab that is up")
	flags.Lookup("lab").NoOptDefVal = newLab
	flags.Float64Var(&f.scale, "scale", 0, "in the lab: the share of every planned rate, such as 0.1 (default: as calibrated)")
	flags.StringVarP(&f.folder, "output", "o", "", "the run folder, new or empty")
	flags.BoolVar(&f.resume, "resume", false, "go on with an interrupted run: that in -o, else the latest of this fabric")
	flags.StringVar(&f.only, "only", "", "run one experiment")
	flags.StringVar(&f.variant, "variant", "", "merge a variant of the file into it; several with +")
	flags.StringVar(&f.budget, "budget", "", "how long all measurements may take together, such as 90s")
	flags.IntVar(&f.repeats, "repeats", 0, "repeats of every measurement (default: the file's, else 3)")
	flags.StringVar(&f.agentFile, "agent", "", "the program to send to hosts, instead of this one")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return c
}

func (e *env) runFabric(ctx context.Context, path string, f runFlags) error {
	budget, err := f.check()
	if err != nil {
		return err
	}
	p, err := e.load(path, f.variant)
	if err != nil {
		return err
	}
	cells, err := run.Cells(p, run.Options{Only: f.only, Repeats: f.repeats})
	if err != nil {
		return fail(exitInput, err)
	}
	if f.lab != "" && f.lab != newLab {
		if _, err := lab.Find(f.lab); err != nil { // before anything is written
			return fail(exitInput, err)
		}
	}
	folder, head, err := e.folder(p, f, path, cells)
	if err != nil {
		return err
	}
	defer folder.Close()
	if !f.asJSON {
		if err := e.terminal().Cabling(p, ""); err != nil {
			return err
		}
	}
	job := &job{env: e, plan: p, cells: cells, folder: folder, run: head, flags: f, budget: budget, kept: true}
	return job.do(ctx)
}

// check refuses flags that cannot be meant.
func (f runFlags) check() (budget time.Duration, err error) {
	if f.budget != "" {
		if budget, err = unit.ParseDuration(f.budget); err != nil {
			return 0, fail(exitInput, fmt.Errorf("--budget: %w", err))
		}
	}
	switch {
	case f.scale != 0 && f.lab != newLab:
		return 0, fail(exitInput, errors.New("--scale: the scale is chosen when a lab is built; add --lab"))
	case f.repeats < 0 || f.repeats > 1000:
		return 0, fail(exitInput, fmt.Errorf("--repeats %d: at least 1 and at most 1000", f.repeats))
	}
	return budget, checkScale(f.scale)
}

// folder makes the run folder, or opens the one to be resumed and puts what it
// has measured into the cells.
func (e *env) folder(p *plan.Plan, f runFlags, path string, cells []*run.Cell) (*result.Folder, *result.Run, error) {
	head := &result.Run{Version: version(), Arguments: os.Args, Started: time.Now(), Fabric: p.Name, FabricPath: path, FabricText: string(p.Fabric.Text),
		Variant: p.Variant, Plan: run.Picture(p), Problems: p.Problems}
	if f.resume {
		return e.resume(p, f, head, cells)
	}
	var folder *result.Folder
	var err error
	if f.folder != "" {
		folder, err = result.Create(f.folder)
	} else {
		folder, err = result.CreateDefault("runs", p.Name, head.Started)
	}
	if err != nil {
		return nil, nil, inputOr(err)
	}
	return folder, head, nil
}

func (e *env) resume(p *plan.Plan, f runFlags, head *result.Run, cells []*run.Cell) (*result.Folder, *result.Run, error) {
	dir, err := f.folder, error(nil)
	if dir == "" {
		if dir, err = result.OpenIncomplete("runs", result.FabricHash(head.FabricText)); err != nil {
			return nil, nil, inputOr(err)
		}
	}
	folder, old, err := result.Resume(dir, version(), os.Args)
	if err != nil {
		return nil, nil, inputOr(err)
	}
	if old.Run.Variant != p.Variant || old.Run.FabricText != head.FabricText {
		folder.Close()
		return nil, nil, fail(exitInput, fmt.Errorf("%s was measured with another fabric file or variant (%s); resume it with those, or start a run of its own", dir, orNone(old.Run.Variant)))
	}
	if err := sameLab(f, old.Run); err != nil {
		folder.Close()
		return nil, nil, fail(exitInput, fmt.Errorf("%s: %w", folder.Path, err))
	}
	kept := run.Keep(cells, old.Run)
	fmt.Fprintf(e.err, "going on with %s: %d repeats are kept\n", folder.Path, kept)
	head.Started, head.ID, head.Warnings, head.Lab = old.Run.Started, old.Run.ID, old.Run.Warnings, old.Run.Lab
	return folder, head, nil
}

// sameLab refuses to put figures of a lab and of real hosts into one run.
func sameLab(f runFlags, old *result.Run) error {
	switch {
	case old.Lab != nil && f.lab == "":
		return errors.New("it was measured in the lab; resume it with --lab")
	case old.Lab == nil && f.lab != "":
		return errors.New("it was measured between real hosts; resume it without --lab")
	case old.Lab != nil && f.scale != 0 && f.scale != old.Lab.Scale:
		return fmt.Errorf("it was measured at a scale of %v; resume it without --scale", old.Lab.Scale)
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// inputOr gives an error of the run folder its exit code.
func inputOr(err error) error {
	if errors.Is(err, result.ErrInput) {
		return fail(exitInput, err)
	}
	return err
}

// job is one run on its way from plan to report.
type job struct {
	*env
	plan   *plan.Plan
	cells  []*run.Cell
	folder *result.Folder
	run    *result.Run
	flags  runFlags
	budget time.Duration
	kept   bool // the run folder stays
	// reachOf, if not nil, says how a host is got at in place of the plan.
	reachOf func(host string) (reach.Spec, error)
}

func (j *job) do(ctx context.Context) error {
	cfg := run.Config{Plan: j.plan, Cells: j.cells, Folder: j.folder, Version: version(), AgentFile: j.flags.agentFile, Budget: j.budget, Reach: j.reach}
	if j.flags.lab != "" {
		down, err := j.useLab(ctx, &cfg)
		if err != nil {
			return err
		}
		defer down()
	}
	if !j.flags.resume {
		if err := j.folder.Started(j.run); err != nil {
			return err
		}
	}
	progress := j.progress()
	cfg.Progress = progress.step
	failed := run.Execute(ctx, cfg, j.run)
	progress.End()
	return j.finish(failed)
}

// reach is how a host of the file is got at.
func (j *job) reach(host string) (reach.Spec, error) {
	if j.reachOf != nil {
		return j.reachOf(host)
	}
	h := j.plan.Host(host)
	if h == nil || h.Reach == "" {
		return reach.Spec{}, fmt.Errorf("it has no reach; write reach: ssh USER@%s in the fabric file, or run it in the lab with --lab", host)
	}
	return reach.ParseFile(h.Reach)
}

// finish explains and reports whatever was measured, also when the run failed or
// was interrupted, and finds the exit code.
func (j *job) finish(failed error) error {
	r := j.run
	r.Ended = time.Now()
	r.Complete = failed == nil && measured(r)
	explain.Run(j.plan, r, func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(j.folder.Path, filepath.FromSlash(name)))
	})
	if err := j.save(failed); err != nil {
		return errors.Join(failed, fmt.Errorf("%w; the journal in %s holds what was measured: linerate report %s", err, j.folder.Path, j.folder.Path))
	}
	var err error
	if j.flags.asJSON {
		err = report.JSON(j.out, r)
	} else {
		t := j.terminal()
		if j.kept {
			t.Page = filepath.Join(j.folder.Path, result.ReportName)
		}
		err = t.Run(r)
	}
	if err != nil {
		return err
	}
	if failed != nil {
		if errors.Is(failed, context.Canceled) {
			return fail(exitInterrupted, fmt.Errorf("interrupted; what was measured is in %s; go on with: %s", j.folder.Path, j.again()))
		}
		return failed
	}
	return outcome(j.plan, r)
}

// again is the command line that goes on with this run.
func (j *job) again() string {
	s := "linerate run " + j.run.FabricPath
	switch j.flags.lab {
	case "":
	case newLab:
		s += " --lab"
	default:
		s += " --lab=" + j.flags.lab
	}
	for _, f := range []struct{ flag, value string }{{"only", j.flags.only}, {"variant", j.flags.variant}, {"budget", j.flags.budget}} {
		if f.value != "" {
			s += " --" + f.flag + " " + f.value
		}
	}
	return s + " --resume -o " + j.folder.Path
}

// save writes verdicts, page and manifest. A run that did not come to its end
// gets no manifest: that is how it is known to be incomplete.
func (j *job) save(failed error) error {
	r := j.run
	for _, x := range r.Experiments {
		if x.Verdict != nil {
			if err := j.folder.Verdict(x.ID, x.Verdict); err != nil {
				return err
			}
		}
	}
	if err := j.folder.WriteFile(result.ReportName, func(w io.Writer) error { return report.HTML(w, r) }); err != nil {
		return err
	}
	why := ""
	if failed != nil {
		why = failed.Error()
	}
	return j.folder.Finish(r, why)
}

// measured says whether every experiment that this version knows was measured.
func measured(r *result.Run) bool {
	for _, x := range r.Experiments {
		if x.Failed != "" {
			return false
		}
	}
	return true
}

// outcome is the exit code of a run that came to its end: incomplete before
// missed, as docs/contract.md says.
func outcome(p *plan.Plan, r *result.Run) error {
	missed := planExit(p) != nil
	for _, x := range r.Experiments {
		if x.NotRun != "" || x.Failed != "" {
			return fail(exitIncomplete, nil)
		}
	}
	for _, g := range r.Goals {
		if g.Met == nil {
			return fail(exitIncomplete, nil)
		}
		missed = missed || !*g.Met
	}
	if missed {
		return fail(exitMissed, nil)
	}
	return nil
}

// progress prints what goes on to standard error.
type progress struct {
	*report.Progress
}

func (j *job) progress() progress {
	p := &report.Progress{Out: j.err, ASCII: !j.utf8()}
	for _, c := range j.cells {
		if c.Exp.NotRun == "" {
			p.Total++
		}
	}
	if f, ok := j.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.Terminal = true
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			p.Width = w
		}
	}
	return progress{p}
}

func (p progress) step(s run.Step) {
	x := s.Cell.Exp
	what := x.Method + " " + explain.Cell(x)
	if s.Repeat >= 0 {
		p.Start(s.Index, what, s.Left)
		return
	}
	figure := "failed"
	switch {
	case x.NotRun != "":
		figure = "not run"
	case x.Goodput != nil:
		figure = unit.BitRate(x.Goodput.Median).String()
	case x.Latency != nil:
		figure = unit.Seconds(x.Latency.P50)
	}
	p.Done(s.Index, what, figure, s.Left)
	if x.Failed != "" {
		p.Note("  " + x.Failed)
	}
}
