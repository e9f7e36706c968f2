package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/lab"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
	"linerate/internal/run"
)

// runFlags are the flags of the verb run.
type runFlags struct {
	resume, asJSON, asJSONL, quiet bool
	junit                          string // file for the goals; empty: none
	sources                        bool   // experiments may read files of hosts
	commands                       bool   // experiments may run commands on hosts
	keepSerials                    bool
	guests                         guestFlags
	lab                            string // newLab, or the id of one that is up; empty: none
	scale                          float64
	offloads                       string // of every card of the lab: on, off, or empty for the file's
	folder, variant, agentFile     string
	only                           []string // experiments by name; none: all
	budget, chase                  string
	proof                          string // lossless; empty: the file's experiments
	repeats                        int
	schedule                       scheduleFlags
	settings                       map[string]string // in place of the file's
	variants                       []string          // beside the file as written, in this run
	given                          []string          // the flags of the command line
}

func (e *env) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run [FABRIC.yaml]",
		Short: "The main job: plan, facts, check, measure, explain, report",
		Long: `Measures every experiment of the fabric and says what each path carries, what its
ceiling is, what limits it, and whether the goals are met. With --lab the fabric
is built on this machine out of network namespaces (with --guests: machines under
QEMU) first, and taken down again.

Results go into a folder of their own, by default ./runs/DATE-FABRIC-XXXX.
Without a file: fabric.yaml of this folder or the nearest one above.`,
		Example: `  linerate run examples/mesh-10g.yaml --lab            in a lab on this machine
  linerate run examples/mesh-10g.yaml --lab --guests   every host of it a machine under QEMU
  linerate run home.yaml --only line-rate,latency      these experiments alone
  linerate run home.yaml --budget 90s -o /tmp/home     in a minute and a half
  linerate run home.yaml --proof lossless              is every lossless class lossless, by what the devices count
  linerate run home.yaml --chase 2m                    go on by itself where a verdict asks for it
  linerate run home.yaml --resume                      go on with the run that was interrupted`,
		Args:        f.chaseArgs,
		Annotations: map[string]string{checksItself: "yes", findsFabric: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			f.given = changed(c.Flags())
			return e.runFabric(c.Context(), f.chaseTime(args), f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.lab, "lab", "", "build the fabric on this machine out of namespaces (Linux); --lab=ID: in a lab that is up")
	flags.Lookup("lab").NoOptDefVal = newLab
	f.guests.add(flags, "in the lab: ")
	flags.Float64Var(&f.scale, "scale", 0, "in the lab: the share of every planned rate, such as 0.1 (default: as calibrated)")
	flags.StringVar(&f.offloads, "offloads", "", offloadsUsage)
	flags.StringVarP(&f.folder, "output", "o", "", "the run folder, new or empty")
	flags.BoolVar(&f.resume, "resume", false, "go on with an interrupted run: that in -o, else the latest of this fabric")
	flags.StringSliceVar(&f.only, "only", nil, "run these experiments alone")
	flags.StringVar(&f.proof, "proof", "", "lossless: in place of the file's experiments, an incast in each lossless class, judged by counters of hosts and switches")
	flags.StringVar(&f.variant, "variant", "", "merge a variant of the file into it, several with +; all: the file as written and each variant alone, in turns")
	f.schedule.add(flags)
	flags.StringVar(&f.budget, "budget", "", "how long all measurements may take together, such as 90s")
	flags.StringVar(&f.chase, "chase", "", "where a verdict asks for another experiment, measure that and judge again, at most so long (alone: 60s)")
	flags.Lookup("chase").NoOptDefVal = chaseAlone
	flags.IntVar(&f.repeats, "repeats", 0, "repeats of every measurement (default: the file's, else 3)")
	flags.StringVar(&f.agentFile, "agent", "", "the program to send to hosts, instead of this one")
	flags.BoolVar(&f.sources, "allow-source", false, "let experiments with a source read that file of the host that sends")
	flags.BoolVar(&f.commands, "allow-commands", false, "let experiments of the method app run the commands of the file")
	flags.StringToStringVar(&f.settings, "set", nil, "settings in place of those of the file's experiments, such as size=512")
	if err := flags.MarkHidden("set"); err != nil {
		panic(err)
	}
	flags.BoolVar(&f.keepSerials, "keep-serials", false, "leave serial numbers and secrets in the folder's captures; else they are masked")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	flags.BoolVar(&f.asJSONL, "jsonl", false, "print what happens as it does, one JSON object a line")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, quietUsage)
	flags.StringVar(&f.junit, "junit", "", junitUsage)
	return c
}

func (e *env) runFabric(ctx context.Context, files []string, f runFlags) error {
	budget := f.check(&e.wrong)
	chase, err := f.chaseLimit()
	e.wrong.add(err)
	f.schedule.check(&e.wrong)
	if err := e.wrong.err(); err != nil {
		return err
	}
	path := files[0]
	p, cells, arms, err := e.toRun(path, &f)
	if err != nil {
		return err
	}
	if f.lab != "" && f.lab != newLab {
		if _, err := lab.Find(f.lab); err != nil { // before anything is written
			return fail(exitInput, err)
		}
	}
	if err := f.guests.seen(append([]arm{{p, cells}}, arms...)...); err != nil {
		return err
	}
	if f.folder != "" && !f.resume {
		if err := runfolder.Free(filepath.Clean(f.folder)); err != nil { // before anybody is asked for a password
			return inputOr(err)
		}
	}
	secrets := map[string]known{}
	if f.lab == "" {
		secrets = e.secrets(p, cells)
		if err := (&job{plan: p, secrets: secrets}).unreached(path, cells); err != nil && !f.resume {
			return err
		}
	}
	folder, head, err := e.folder(p, f, path, cells)
	if err != nil {
		return err
	}
	defer folder.Close()
	if f.asJSONL {
		e.events.Out = e.out
	}
	if !f.asJSON && !f.asJSONL && !f.quiet {
		if err := e.terminal().Cabling(p, ""); err != nil {
			return err
		}
	}
	job := &job{env: e, secrets: secrets, plan: p, arms: arms, cells: cells, folder: folder, run: head, flags: f, budget: budget, chase: chase, kept: true}
	return job.do(ctx)
}

// toRun is the plan and the cells of a run; arms, if there are several, are those of each variant.
func (e *env) toRun(path string, f *runFlags) (*plan.Plan, []*run.Cell, []arm, error) {
	if f.variant == allVariants {
		arms, err := e.loadArms(path, f)
		if err != nil {
			return nil, nil, nil, err
		}
		return arms[0].plan, cellsOf(arms), arms, nil
	}
	p, err := e.loadWith(path, f.variant, f.offloads)
	if err != nil {
		return nil, nil, nil, err
	}
	cells, err := run.Cells(p, run.Options{Only: f.only, Repeats: f.repeats, Sources: f.sources, Commands: f.commands, Proof: f.proof != "", Settings: f.settings, Lab: f.lab != ""})
	if err != nil {
		return nil, nil, nil, fail(exitInput, err)
	}
	return p, cells, nil, nil
}

// check refuses flags that cannot be meant.
func (f *runFlags) check(wrong *mistakes) (budget time.Duration) {
	if f.budget != "" {
		var err error
		if budget, err = unit.ParseDuration(f.budget); err != nil {
			wrong.add(fmt.Errorf("--budget: %w", err))
		}
	}
	wrong.add(oneOutput(f.asJSON, f.asJSONL))
	wrong.add(junitFile(f.junit))
	if slices.Contains(f.given, "proof") && f.proof != "lossless" {
		wrong.add(fmt.Errorf("--proof %q: what can be proved is that classes are lossless; write --proof lossless", f.proof))
	}
	if f.proof != "" && len(f.only) > 0 {
		wrong.add(fmt.Errorf("--proof %s is in place of the file's experiments, and --only %s is of them; leave one of the two out", f.proof, strings.Join(f.only, ",")))
	}
	if f.agentFile != "" {
		if _, err := os.Stat(f.agentFile); err != nil {
			wrong.add(fmt.Errorf("--agent: %w; name the program of linerate for the hosts' system", err))
		}
	}
	if f.scale != 0 && f.lab != newLab {
		wrong.add(errors.New("--scale: the scale is chosen when a lab is built; add --lab"))
	} else {
		wrong.add(checkScale(f.scale))
	}
	// Without the flag, 0 is the file's own number.
	if slices.Contains(f.given, "repeats") && !wrong.about("repeats") && (f.repeats < 1 || f.repeats > 1000) {
		wrong.add(fmt.Errorf("--repeats %d: at least 1 and at most 1000", f.repeats))
	}
	if f.lab != newLab {
		if f.guests.which != "" {
			wrong.add(errors.New("--guests: hosts become guests when a lab is built; add --lab"))
		}
		if len(f.guests.share) > 0 {
			wrong.add(errors.New("--share: a folder is shared when a lab is built; add --lab"))
		}
	} else {
		wrong.add(f.guests.check())
	}
	if f.offloads != "" && f.lab != newLab {
		wrong.add(errors.New("--offloads: measuring changes no settings, but a lab is built with them; add --lab"))
	} else {
		wrong.add(checkOffloads(f.offloads))
	}
	return budget
}

// folder makes the run folder, or opens the one to be resumed and puts what it
// has measured into the cells.
func (e *env) folder(p *plan.Plan, f runFlags, path string, cells []*run.Cell) (*runfolder.Folder, *record.Run, error) {
	head := &record.Run{Version: version(), Arguments: arguments(), Started: time.Now(), Fabric: p.Name, FabricPath: path, FabricText: string(p.Fabric.Text), Parts: recorded(p.Fabric.Parts),
		Variant: p.Variant, Variants: f.variants, Schedule: f.schedule.record(), Plan: p.Picture(), Problems: p.Serious()}
	if f.resume {
		return e.resume(p, f, head, cells)
	}
	var folder *runfolder.Folder
	var err error
	if f.folder != "" {
		folder, err = runfolder.Create(f.folder)
	} else {
		folder, err = runfolder.CreateDefault("runs", p.Name, head.Started)
	}
	if err != nil {
		return nil, nil, inputOr(err)
	}
	return folder, head, nil
}

func (e *env) resume(p *plan.Plan, f runFlags, head *record.Run, cells []*run.Cell) (*runfolder.Folder, *record.Run, error) {
	dir, err := f.folder, error(nil)
	if dir == "" {
		if dir, err = runfolder.OpenIncomplete("runs", record.FabricHash(head.FabricText)); err != nil {
			return nil, nil, inputOr(err)
		}
	}
	folder, old, err := runfolder.Resume(dir, version(), arguments())
	if err != nil {
		return nil, nil, inputOr(err)
	}
	if !sameVariants(old.Run, head) || old.Run.FabricText != head.FabricText || !slices.Equal(old.Run.Parts, head.Parts) {
		folder.Close()
		return nil, nil, fail(exitInput, fmt.Errorf("%s was measured with another fabric file, other files of parts or another variant (%s); resume it with those, or start a run of its own", dir, orNone(old.Run.Variant)))
	}
	if err := sameLab(f, old.Run); err != nil {
		folder.Close()
		return nil, nil, fail(exitInput, fmt.Errorf("%s: %w", folder.Path, err))
	}
	kept := run.Keep(cells, old.Run)
	are := "are"
	if kept == 1 {
		are = "is"
	}
	fmt.Fprintf(e.err, "going on with %s: %s %s kept\n", folder.Path, report.Count(kept, "repeat"), are)
	if old.Run.Schedule != nil {
		head.Schedule = old.Run.Schedule
	}
	head.Hosts = old.Run.Hosts
	head.Started, head.ID, head.Warnings, head.Lab, head.Chase = old.Run.Started, old.Run.ID, old.Run.Warnings, old.Run.Lab, old.Run.Chase
	return folder, head, nil
}

// sameLab refuses to put figures of a lab and of real hosts into one run.
func sameLab(f runFlags, old *record.Run) error {
	switch {
	case old.Lab != nil && f.lab == "":
		return errors.New("it was measured in the lab; resume it with --lab")
	case old.Lab == nil && f.lab != "":
		return errors.New("it was measured between real hosts; resume it without --lab")
	case old.Lab != nil && f.scale != 0 && f.scale != old.Lab.Scale:
		return fmt.Errorf("it was measured at a scale of %v; resume it without --scale", old.Lab.Scale)
	case old.Lab != nil && f.offloads != old.Lab.Offloads && f.lab == newLab:
		return fmt.Errorf("it was measured with --offloads %q; resume it with the same", old.Lab.Offloads)
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
	if errors.Is(err, runfolder.ErrInput) {
		return fail(exitInput, err)
	}
	return err
}

// fabricFile is the one argument of a verb that takes a fabric file.
func fabricFile(verb string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		lab := c.Flags().Lookup("lab")
		switch {
		case len(args) == 0:
			return fail(exitInput, fmt.Errorf("name a fabric file: linerate %s FABRIC.yaml; examples/mesh-10g.yaml is one", verb))
		case len(args) == 2 && lab != nil && lab.Changed:
			return fail(exitInput, fmt.Errorf("%s stands alone; a lab that is up is named with an equals sign: --lab=%s", args[1], args[1]))
		case len(args) > 1:
			return fail(exitInput, fmt.Errorf("one fabric file at a time, not %d: %s", len(args), strings.Join(args, ", ")))
		}
		return nil
	}
}
