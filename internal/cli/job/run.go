package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/lab"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
	"linerate/internal/report/design"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
)

// Flags are the flags of the command run.
type Flags struct {
	Resume, AsJSON, AsJSONL, Quiet bool
	Views                          report.Views // parts of the report; none: in short
	Junit                          string       // file for the goals; empty: none
	Sources                        bool         // experiments may read files of hosts
	Commands                       bool         // experiments may run commands on hosts
	KeepSerials                    bool
	Guests                         GuestFlags
	Lab                            string // NewLab, or the id of a running one; empty: none. See ChooseLab
	BuildsLab                      bool   // --lab
	InLab                          string // --in-lab
	Scale                          float64
	Offloads                       string // of every adapter of the lab: on, off, or empty for the file's
	Folder, Variant, AgentFile     string
	Only                           []string // names of experiments; none: all
	Budget, FollowUp               string
	Lossless                       bool // an incast in each lossless class replaces the file's experiments
	Repeats                        int
	Schedule                       ScheduleFlags
	Settings                       map[string]string // instead of the file's
	Variants                       []string          // in this run, in addition to the file as written
	Given                          []string          // the flags on the command line
}

// RunFabric runs the experiments of a fabric file.
func RunFabric(ctx context.Context, e *cli.Env, files []string, f Flags) error {
	budget := f.check(&e.Errors)
	followUp, err := f.FollowUpLimit()
	e.Errors.Add(err)
	f.Schedule.Check(&e.Errors)
	if err := e.Errors.Err(); err != nil {
		return err
	}
	path := files[0]
	p, combinations, arms, err := toRun(e, path, &f)
	if err != nil {
		return err
	}
	if f.Lab != "" && f.Lab != NewLab {
		if _, err := lab.Find(f.Lab); err != nil { // before anything is written
			return cli.Fail(cli.ExitInput, err)
		}
	}
	if err := f.Guests.seen(append([]Arm{{p, combinations}}, arms...)...); err != nil {
		return err
	}
	if f.Folder != "" && !f.Resume {
		if err := runfolder.Free(filepath.Clean(f.Folder)); err != nil { // before any password prompt
			return cli.InputOr(err)
		}
	}
	secrets := map[string]known{}
	if f.Lab == "" {
		secrets = hostSecrets(e, p, combinations)
		if err := (&Job{Plan: p, secrets: secrets}).unreached(path, combinations); err != nil && !f.Resume {
			return err
		}
	}
	folder, head, err := OpenFolder(e, p, f, path, combinations)
	if err != nil {
		return err
	}
	defer folder.Close()
	if f.AsJSONL {
		e.Events.Out = e.Out
	}
	if f.Views.All && !f.AsJSON && !f.AsJSONL && !f.Quiet {
		if err := design.PrintCabling(e.Terminal(), p, ""); err != nil {
			return err
		}
	}
	job := &Job{Env: e, secrets: secrets, Plan: p, arms: arms, Combinations: combinations, Folder: folder, Run: head,
		Flags: f, budget: budget, followUp: followUp, Kept: true}
	return job.Do(ctx)
}

// toRun is the plan and the combinations of a run; arms, if there are several, are those of each variant.
func toRun(e *cli.Env, path string, f *Flags) (*plan.Plan, []*experiment.Combination, []Arm, error) {
	if f.Variant == allVariants {
		arms, err := loadArms(e, path, f)
		if err != nil {
			return nil, nil, nil, err
		}
		return arms[0].plan, combinationsOf(arms), arms, nil
	}
	p, err := e.LoadWith(path, f.Variant, f.Offloads)
	if err != nil {
		return nil, nil, nil, err
	}
	combinations, err := run.Combinations(p,
		experiment.Options{Only: f.Only, Repeats: f.Repeats, Sources: f.Sources, Commands: f.Commands,
			Lossless: f.Lossless, Settings: f.Settings, Lab: f.Lab != ""})
	if err != nil {
		return nil, nil, nil, cli.Fail(cli.ExitInput, err)
	}
	return p, combinations, nil, nil
}

// check refuses contradictory flags.
func (f *Flags) check(wrong *cli.Errors) (budget time.Duration) {
	if f.Budget != "" {
		var err error
		if budget, err = unit.ParseDuration(f.Budget); err != nil {
			wrong.Add(fmt.Errorf("--budget: %w", err))
		}
	}
	wrong.Add(cli.OneOutput(f.AsJSON, f.AsJSONL))
	wrong.Add(cli.CheckJUnitFile(f.Junit))
	if f.Lossless && len(f.Only) > 0 {
		wrong.Add(cli.Advise(
			fmt.Errorf("--lossless replaces the file's experiments, and --experiments %s selects from "+
				"them", strings.Join(f.Only, ",")),
			"omit one"))
	}
	if f.AgentFile != "" {
		if _, err := os.Stat(f.AgentFile); err != nil {
			wrong.Add(cli.Advise(fmt.Errorf("--agent: %w", err),
				"name the program of linerate for the hosts' system"))
		}
	}
	if f.Scale != 0 && f.Lab != NewLab {
		wrong.Add(cli.Advise(errors.New("--scale: the scale is chosen when a lab is built"),
			"add --lab"))
	} else {
		wrong.Add(CheckScale(f.Scale))
	}
	// Without the flag, 0 stands for the file's own number.
	if slices.Contains(f.Given, "repeats") && !wrong.About("repeats") && (f.Repeats < 1 || f.Repeats > 1000) {
		wrong.Add(fmt.Errorf("--repeats %d: at least 1 and at most 1000", f.Repeats))
	}
	if f.Lab != NewLab {
		if f.Guests.Which != "" {
			wrong.Add(cli.Advise(errors.New("--guests: hosts become guests when a lab is built"),
				"add --lab"))
		}
		if len(f.Guests.Share) > 0 {
			wrong.Add(cli.Advise(errors.New("--share: a folder is shared when a lab is built"),
				"add --lab"))
		}
	} else {
		wrong.Add(f.Guests.Check())
	}
	if f.Offloads != "" && f.Lab != NewLab {
		wrong.Add(cli.Advise(errors.New("--offloads: measuring changes no settings, but a lab is built with them"),
			"add --lab"))
	} else {
		wrong.Add(checkOffloads(f.Offloads))
	}
	return budget
}

// OpenFolder makes the run folder, or opens the one to resume and restores its results to the combinations.
func OpenFolder(e *cli.Env, p *plan.Plan, f Flags, path string,
	combinations []*experiment.Combination) (*runfolder.Folder, *record.Run, error) {
	head := &record.Run{Version: agent.Version(), Arguments: cli.Arguments(), Started: time.Now(), Fabric: p.Name,
		FabricPath: path, FabricText: string(p.Fabric.Text), Parts: Recorded(p.Fabric.Parts), Variant: p.Variant,
		Variants: f.Variants, Schedule: f.Schedule.record(), Plan: p.Picture(), Problems: p.Serious()}
	if f.Resume {
		return resumeFolder(e, p, f, head, combinations)
	}
	var folder *runfolder.Folder
	var err error
	if f.Folder != "" {
		folder, err = runfolder.Create(f.Folder)
	} else {
		folder, err = runfolder.CreateDefault("runs", p.Name, head.Started)
	}
	if err != nil {
		return nil, nil, cli.InputOr(err)
	}
	return folder, head, nil
}

func resumeFolder(e *cli.Env, p *plan.Plan, f Flags, head *record.Run,
	combinations []*experiment.Combination) (*runfolder.Folder, *record.Run, error) {
	dir, err := f.Folder, error(nil)
	if dir == "" {
		if dir, err = runfolder.OpenIncomplete("runs", record.FabricHash(head.FabricText)); err != nil {
			return nil, nil, cli.InputOr(err)
		}
	}
	folder, old, err := runfolder.Resume(dir, agent.Version(), cli.Arguments())
	if err != nil {
		return nil, nil, cli.InputOr(err)
	}
	if !sameVariants(old.Run, head) || old.Run.FabricText != head.FabricText || !slices.Equal(old.Run.Parts, head.Parts) {
		folder.Close()
		return nil, nil, cli.Fail(cli.ExitInput, cli.Advise(
			fmt.Errorf("%s was measured with another fabric file, other files of parts or another "+
				"variant (%s)", dir, cmp.Or(old.Run.Variant, "none")),
			"resume it with those, or start a run of its own"))
	}
	if err := sameLab(f, old.Run); err != nil {
		folder.Close()
		return nil, nil, cli.Fail(cli.ExitInput, fmt.Errorf("%s: %w", folder.Path, err))
	}
	kept := run.Keep(combinations, old.Run)
	are := "are"
	if kept == 1 {
		are = "is"
	}
	fmt.Fprintf(e.Err, "going on with %s: %s %s kept\n", folder.Path, unit.Counted(kept, "repeat"), are)
	if old.Run.Schedule != nil {
		head.Schedule = old.Run.Schedule
	}
	head.Hosts = old.Run.Hosts
	head.Started, head.ID, head.Warnings = old.Run.Started, old.Run.ID, old.Run.Warnings
	head.Lab, head.FollowUp = old.Run.Lab, old.Run.FollowUp
	return folder, head, nil
}

// sameLab refuses to mix figures of a lab and of real hosts in one run.
func sameLab(f Flags, old *record.Run) error {
	switch {
	case old.Lab != nil && f.Lab == "":
		return cli.Advise(errors.New("it was measured in the lab"),
			"resume it with --lab")
	case old.Lab == nil && f.Lab != "":
		return cli.Advise(errors.New("it was measured between real hosts"),
			"resume it without --lab")
	case old.Lab != nil && f.Scale != 0 && f.Scale != old.Lab.Scale:
		return cli.Advise(fmt.Errorf("it was measured at a scale of %v", old.Lab.Scale),
			"resume it without --scale")
	case old.Lab != nil && f.Offloads != old.Lab.Offloads && f.Lab == NewLab:
		return cli.Advise(fmt.Errorf("it was measured with --offloads %q", old.Lab.Offloads),
			"resume it with the same")
	}
	return nil
}
