package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"linerate/internal/agent"
	"linerate/internal/design/plan"
	"linerate/internal/explain"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
	"linerate/internal/run"
	"linerate/internal/traffic"
)

// job is one run on its way from plan to report.
type job struct {
	*env
	plan    *plan.Plan
	arms    []arm // of several variants, plan's first; else none
	cells   []*run.Cell
	folder  *runfolder.Folder
	run     *record.Run
	flags   runFlags
	budget  time.Duration
	chase   time.Duration            // how long verdicts may be chased; 0: not at all
	kept    bool                     // the run folder stays
	once    bool                     // nothing goes on with it
	secrets map[string]known         // of hosts reached over tcp
	clients map[string]*agent.Client // that are there already
	// reachOf, if not nil, says how a host is got at in place of the plan.
	reachOf func(host string) (connect.Spec, error)
}

func (j *job) do(ctx context.Context) error {
	cfg := run.Config{Plan: j.plan, Cells: j.cells, Folder: j.folder, Version: version(), AgentFile: j.flags.agentFile, VerbsProgram: verbsProgram, MPIProgram: mpiProgram, Clients: j.clients, Budget: j.budget, Reach: j.reach, KeepSerials: j.flags.keepSerials, AskSwitch: switchCounters(j.plan), Chase: j.chasing(),
		Schedule: schedule(j.run, j.cells)}
	progress := j.progress()
	cfg.Progress, cfg.Live = progress.step, progress.live
	defer progress.watch()()
	if len(j.arms) > 0 && j.flags.lab != "" && j.measures() {
		begun := false
		failed := j.variants(ctx, cfg, func(cfgs []run.Config) error {
			begun = true
			return j.begin(ctx, cfgs)
		})
		progress.End()
		if !begun {
			j.discard()
			return failed
		}
		return j.finish(failed)
	}
	if j.flags.lab != "" && j.measures() {
		down, err := j.useLab(ctx, &cfg)
		if err != nil {
			j.discard()
			return err
		}
		defer down()
	}
	if err := j.begin(ctx, []run.Config{cfg}); err != nil {
		return err
	}
	failed := run.ExecuteAll(ctx, []run.Config{cfg}, j.run)
	progress.End()
	if none := (*run.Unreached)(nil); errors.As(failed, &none) {
		j.discard()
		return fail(exitIncomplete, none)
	}
	return j.finish(failed)
}

// begin tests the instrument, writes the head of the run down with every experiment, and says how long it will take.
func (j *job) begin(ctx context.Context, cfgs []run.Config) error {
	if j.measures() {
		if i, err := traffic.Selftest(ctx, false); err == nil { // cancelled: the run ends by itself
			j.run.Instrument = i
		}
	}
	if !j.flags.resume {
		if err := j.folder.Started(j.run); err != nil {
			return err
		}
	}
	d, _ := run.Estimate(cfgs)
	j.announce(cfgs)
	j.inLabs()
	if err := run.Register(j.folder, j.cells, j.run); err != nil {
		return err
	}
	j.events.Planned(j.run, j.keptIn(), d.Seconds())
	return nil
}

// discard removes a new run folder in which nothing is written down yet: it
// could be neither shown nor gone on with.
func (j *job) discard() {
	if !j.flags.resume {
		j.folder.Close()
		os.RemoveAll(j.folder.Path)
	}
}

// keptIn is the run folder, if it stays.
func (j *job) keptIn() string {
	if !j.kept {
		return ""
	}
	return j.folder.Path
}

// measures says whether there is anything to measure: a lab takes time to build.
func (j *job) measures() bool {
	return slices.ContainsFunc(j.cells, func(c *run.Cell) bool { return c.Exp.NotRun == "" })
}

// reach is how a host of the file is got at.
func (j *job) reach(host string) (connect.Spec, error) {
	if j.reachOf != nil {
		return j.reachOf(host)
	}
	if k, ok := j.secrets[host]; ok {
		return k.spec, k.err
	}
	h := j.plan.Host(host)
	if h == nil || h.Reach == "" {
		return connect.Spec{}, fmt.Errorf("it has no reach; write reach: ssh USER@%s in the fabric file, or run it in the lab with --lab", host)
	}
	return connect.ParseFile(h.Reach)
}

// finish explains and reports whatever was measured, also when the run failed or
// was interrupted, and finds the exit code.
func (j *job) finish(failed error) error {
	r := j.run
	r.Ended = time.Now()
	r.Complete = failed == nil && measured(r)
	explain.Variants(j.plans(), r, j.keptFile)
	j.chased()
	r.Comparisons = report.Variants(r)
	if err := j.save(failed); err != nil {
		return errors.Join(failed, fmt.Errorf("%w; the journal in %s holds what was measured: linerate report %s", err, j.folder.Path, j.folder.Path))
	}
	if !j.kept {
		withoutOutputs(r)
	}
	var err error
	j.events.Judged(r)
	if name := j.flags.junit; name != "" {
		if err := writeGoals(name, r); err != nil {
			return errors.Join(failed, err)
		}
	}
	j.told = r
	j.toldIn = j.keptIn()
	if j.flags.asJSON {
		err = report.JSON(j.out, r)
	} else if !j.flags.asJSONL {
		t := j.terminal()
		if j.kept {
			t.Page = filepath.Join(j.folder.Path, runfolder.ReportName)
		}
		err = t.Run(r)
	}
	if err != nil {
		return err
	}
	if failed != nil {
		if errors.Is(failed, context.Canceled) {
			return fail(exitInterrupted, j.interrupted())
		}
		return failed
	}
	return outcome(j.plan, r)
}

// withoutOutputs takes the names of files out of a record that stand in a run folder which nobody keeps.
func withoutOutputs(r *record.Run) {
	for _, x := range r.Experiments {
		x.Failed, _, _ = strings.Cut(x.Failed, run.AllOutput)
		if x.App != nil {
			x.App.Output = ""
		}
		for i := range x.Repeats {
			if a := x.Repeats[i].App; a != nil {
				a.Output = ""
			}
		}
	}
}

// interrupted says where the rest is.
func (j *job) interrupted() error {
	if !j.kept {
		return errors.New("interrupted; the run folder was not kept: -o DIR keeps it, and --resume goes on with it")
	}
	if j.once {
		return fmt.Errorf("interrupted; what was measured is in %s", j.folder.Path)
	}
	return fmt.Errorf("interrupted; what was measured is in %s; go on with: %s", j.folder.Path, j.again())
}

// again is the command line that goes on with this run.
func (j *job) again() string {
	if j.run.FabricPath == "" { // measure
		words := slices.Clone(j.run.Arguments)
		words[0] = "linerate"
		if at := slices.Index(words, "--"); !j.flags.resume && at >= 0 {
			words = slices.Insert(words, at, "--resume") // what stands behind is a command's
		} else if !j.flags.resume {
			words = append(words, "--resume")
		}
		return report.Command(words)
	}
	s := "linerate run " + j.run.FabricPath
	switch j.flags.lab {
	case "":
	case newLab:
		s += " --lab"
		s += j.flags.guests.words()
	default:
		s += " --lab=" + j.flags.lab
	}
	for _, f := range []struct{ flag, value string }{{"only", strings.Join(j.flags.only, ",")}, {"variant", j.flags.variant}, {"budget", j.flags.budget}, {"proof", j.flags.proof}, {"offloads", j.flags.offloads}, {"chase", j.flags.chase}} {
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
		for _, x := range append([]*record.Experiment{x}, x.Chase...) {
			if x.Verdict == nil {
				continue
			}
			if err := j.folder.Verdict(x.ID, x.Verdict); err != nil {
				return err
			}
		}
	}
	if err := j.folder.WriteFile(runfolder.ReportName, func(w io.Writer) error { return report.HTML(w, r) }); err != nil {
		return err
	}
	if slices.ContainsFunc(r.Experiments, func(x *record.Experiment) bool { return x.Acceptance != nil }) {
		if err := j.folder.WriteFile(record.CertificateName, func(w io.Writer) error { _, err := report.Certificate(w, r); return err }); err != nil {
			return err
		}
	}
	why := ""
	if failed != nil {
		why = failed.Error()
	}
	return j.folder.Finish(r, why)
}

// measured says whether every experiment that this version knows was measured.
func measured(r *record.Run) bool {
	for _, x := range r.Experiments {
		if x.Failed != "" {
			return false
		}
	}
	return true
}

// outcome is the exit code of a run that came to its end: incomplete before
// missed, as docs/contract.md says.
func outcome(p *plan.Plan, r *record.Run) error {
	missed := planExit(p) != nil
	if slices.ContainsFunc(r.Experiments, func(x *record.Experiment) bool { return x.Refused }) {
		return fail(exitRefused, nil)
	}
	if err := incomplete(r); err != nil {
		return fail(exitIncomplete, err)
	}
	for _, g := range r.Goals {
		missed = missed || !g.NotHere && !*g.Met // of the others the lab did what it can
	}
	for _, x := range r.Experiments {
		if a := x.Acceptance; a != nil {
			missed = missed || !*a.Passed
		}
	}
	for _, x := range r.Experiments {
		missed = missed || x.Proof != nil && x.Proof.State == record.NotInEffect
	}
	if missed {
		return fail(exitMissed, nil)
	}
	return nil
}
