package job

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
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/plan"
	"linerate/internal/explain"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
	"linerate/internal/report/brief"
	"linerate/internal/report/compare"
	"linerate/internal/report/format"
	"linerate/internal/report/highlight"
	"linerate/internal/report/page"
	"linerate/internal/report/tables"
	"linerate/internal/report/terminal"
	"linerate/internal/run"
	"linerate/internal/run/command"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic/selftest"
)

// Job is one run on its way from plan to report.
type Job struct {
	*cli.Env
	Plan         *plan.Plan
	arms         []Arm // of several variants, plan's first; else none
	Combinations []*experiment.Combination
	Folder       *runfolder.Folder
	Run          *record.Run
	Flags        Flags
	budget       time.Duration
	followUp     time.Duration            // time limit of follow-ups; 0: none
	Kept         bool                     // the run folder stays
	Once         bool                     // nothing resumes it
	secrets      map[string]known         // of hosts over tcp
	Clients      map[string]*agent.Client // of agents that already run
	// ConnectionOf, if not nil, replaces the connections of the plan.
	ConnectionOf func(host string) (connect.Spec, error)
}

// Do runs the job.
func (j *Job) Do(ctx context.Context) error {
	cfg := run.Config{Plan: j.Plan, Combinations: j.Combinations, Folder: j.Folder,
		Version: agent.Version(), AgentFile: j.Flags.AgentFile, VerbsProgram: VerbsProgram,
		MPIProgram: mpiProgram, Clients: j.Clients, Budget: j.budget, Connection: j.connection,
		KeepSerials: j.Flags.KeepSerials, SnapshotOfSwitch: inventory.SwitchCounters(j.Plan),
		FollowUp: j.followUps(), Schedule: schedule(j.Run, j.Combinations)}
	progress := j.progress()
	cfg.Progress, cfg.Live = progress.step, progress.live
	defer progress.watch()()
	if len(j.arms) > 0 && j.Flags.Lab != "" && j.measures() {
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
	if j.Flags.Lab != "" && j.measures() {
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
	failed := run.ExecuteAll(ctx, []run.Config{cfg}, j.Run)
	progress.End()
	if none := (*run.Unreached)(nil); errors.As(failed, &none) {
		j.discard()
		return cli.Fail(cli.ExitIncomplete, none)
	}
	return j.finish(failed)
}

// begin tests the instrument, records the header of the run with every experiment, and prints its duration.
func (j *Job) begin(ctx context.Context, cfgs []run.Config) error {
	if j.measures() {
		if i, err := selftest.Run(ctx, false); err == nil { // cancelled: the run ends by itself
			j.Run.Instrument = i
		}
	}
	if !j.Flags.Resume {
		if err := j.Folder.Started(j.Run); err != nil {
			return err
		}
	}
	d, _ := run.Estimate(cfgs)
	j.announce(cfgs)
	j.inLabs()
	if err := run.Register(j.Folder, j.Combinations, j.Run); err != nil {
		return err
	}
	j.Events.Planned(j.Run, j.keptIn(), d.Seconds())
	return nil
}

// discard removes a new run folder without contents: it could be neither shown nor resumed.
func (j *Job) discard() {
	if !j.Flags.Resume {
		j.Folder.Close()
		os.RemoveAll(j.Folder.Path)
	}
}

// keptIn is the run folder, if it is kept.
func (j *Job) keptIn() string {
	if !j.Kept {
		return ""
	}
	return j.Folder.Path
}

// measures reports whether there is anything to measure, as a lab takes time to build.
func (j *Job) measures() bool {
	return slices.ContainsFunc(j.Combinations, func(c *experiment.Combination) bool { return c.Record.NotRun == "" })
}

// connection is how to connect to a host of the file.
func (j *Job) connection(host string) (connect.Spec, error) {
	if j.ConnectionOf != nil {
		return j.ConnectionOf(host)
	}
	if k, ok := j.secrets[host]; ok {
		return k.spec, k.err
	}
	h := j.Plan.Host(host)
	if h == nil || h.Connection == "" {
		return connect.Spec{}, cli.Advise(errors.New("it has no connection"),
			fmt.Sprintf("write connect: ssh USER@%s in the fabric file, or run it in the lab with --lab", host))
	}
	return connect.ParseFile(h.Connection)
}

// finish explains and reports whatever was measured, also after a failure or an interruption, and returns the exit
// code.
func (j *Job) finish(failed error) error {
	r := j.Run
	r.Ended = time.Now()
	r.Complete = failed == nil && measured(r)
	explain.Variants(j.plans(), r, j.keptFile)
	j.reportFollowUp()
	r.Comparisons = compare.Variants(r)
	if err := j.save(failed); runfolder.Full(err) && runfolder.Full(failed) {
		return j.diskFull(failed) // all that follows finds the disk full, too
	} else if err != nil {
		return errors.Join(failed,
			cli.Advise(err).
				Note(fmt.Sprintf("the journal in %s holds what was measured: linerate report %s",
					j.Folder.Path, j.Folder.Path)))
	}
	if !j.Kept {
		withoutOutputs(r)
	}
	var err error
	j.Events.Judged(r)
	if name := j.Flags.Junit; name != "" {
		if err := cli.WriteJUnitGoals(name, r); err != nil {
			return errors.Join(failed, err)
		}
	}
	j.Result = r
	j.RunFolder = j.keptIn()
	if j.Flags.AsJSON {
		err = report.JSON(j.Out, r)
	} else if !j.Flags.AsJSONL {
		t := j.Terminal()
		if j.Kept {
			t.Page = filepath.Join(j.Folder.Path, runfolder.ReportName)
		}
		err = j.print(t)
	}
	if err != nil {
		return err
	}
	if failed != nil {
		if errors.Is(failed, context.Canceled) {
			return cli.Fail(cli.ExitInterrupted, j.interrupted())
		}
		return failed
	}
	return outcome(j.Plan, r)
}

// diskFull adds to an error where the figures so far are, and what goes on with them.
func (j *Job) diskFull(failed error) error {
	then := "linerate report " + format.Command([]string{j.Folder.Path}) + " shows what was measured"
	if j.Kept && !j.Once {
		then += "; go on with: " + j.Again()
	}
	return fmt.Errorf("%w; %s", failed, then)
}

// print prints the parts of the report that are asked for, or the report in short.
func (j *Job) print(t terminal.Terminal) error {
	found := highlight.Find(j.Run)
	if j.Flags.Views.Any() {
		return j.Flags.Views.Print(t, found)
	}
	ref := ""
	if j.Kept {
		ref = brief.Reference(j.Folder.Path, j.Run.ID)
	}
	return brief.Print(t, found, ref)
}

// withoutOutputs removes the names of output files from the record of a run folder that is not kept.
func withoutOutputs(r *record.Run) {
	for _, x := range r.Experiments {
		x.Failed, _, _ = strings.Cut(x.Failed, command.AllOutput)
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

// interrupted explains how to resume.
func (j *Job) interrupted() error {
	if !j.Kept {
		return cli.Advise(errors.New("interrupted")).
			Note("the run folder was not kept: -o DIR keeps it, and --resume goes on with it")
	}
	if j.Once {
		return cli.Advise(errors.New("interrupted")).Note(fmt.Sprintf("what was measured is in %s", j.Folder.Path))
	}
	return cli.Advise(errors.New("interrupted"), fmt.Sprintf("go on with: %s", j.Again())).
		Note(fmt.Sprintf("what was measured is in %s", j.Folder.Path))
}

// Again is the command line that resumes this run.
func (j *Job) Again() string {
	if j.Run.FabricPath == "" { // linerate measure
		words := slices.Clone(j.Run.Arguments)
		words[0] = "linerate"
		if at := slices.Index(words, "--"); !j.Flags.Resume && at >= 0 {
			words = slices.Insert(words, at, "--resume") // the words after it belong to a command
		} else if !j.Flags.Resume {
			words = append(words, "--resume")
		}
		return format.Command(words)
	}
	s := "linerate run " + j.Run.FabricPath
	switch j.Flags.Lab {
	case "":
	case NewLab:
		s += " --lab"
		s += j.Flags.Guests.Words()
	default:
		s += " --in-lab " + j.Flags.Lab
	}
	for _, f := range []struct{ flag, value string }{
		{"experiments", strings.Join(j.Flags.Only, ",")},
		{"variant", j.Flags.Variant},
		{"budget", j.Flags.Budget},
		{"offloads", j.Flags.Offloads},
		{"follow-up", j.Flags.FollowUp},
	} {
		if f.value != "" {
			s += " --" + f.flag + " " + f.value
		}
	}
	if j.Flags.Lossless {
		s += " --lossless"
	}
	return s + " --resume -o " + j.Folder.Path
}

// save writes verdicts, page and manifest. An unfinished run gets no manifest, which marks it as incomplete.
func (j *Job) save(failed error) error {
	r := j.Run
	for _, x := range r.Experiments {
		for _, x := range append([]*record.Experiment{x}, x.FollowUp...) {
			if x.Verdict == nil {
				continue
			}
			if err := j.Folder.Verdict(x.ID, x.Verdict); err != nil {
				return err
			}
		}
	}
	if err := j.Folder.WriteFile(runfolder.ReportName, func(w io.Writer) error { return page.HTML(w, r) }); err != nil {
		return err
	}
	if slices.ContainsFunc(r.Experiments, func(x *record.Experiment) bool { return x.Acceptance != nil }) {
		if err := j.Folder.WriteFile(record.CertificateName,
			func(w io.Writer) error { _, err := tables.Certificate(w, r); return err }); err != nil {
			return err
		}
	}
	why := ""
	if failed != nil {
		why = failed.Error()
	}
	return j.Folder.Finish(r, why)
}

// measured reports whether every experiment that this version knows was measured.
func measured(r *record.Run) bool {
	return !slices.ContainsFunc(r.Experiments, func(x *record.Experiment) bool { return x.Failed != "" })
}

// outcome is the exit code of a finished run: incomplete precedes missed, as in docs/contract.md.
func outcome(p *plan.Plan, r *record.Run) error {
	missed := cli.PlanExit(p) != nil
	if slices.ContainsFunc(r.Experiments, func(x *record.Experiment) bool { return x.Refused }) {
		return cli.Fail(cli.ExitRefused, nil)
	}
	if err := incomplete(r); err != nil {
		return cli.Fail(cli.ExitIncomplete, err)
	}
	for _, g := range r.Goals {
		missed = missed || !g.NotHere && !*g.Met // a lab cannot know the others
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
		return cli.Fail(cli.ExitMissed, nil)
	}
	return nil
}
