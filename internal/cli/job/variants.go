package job

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
	"linerate/internal/record"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
)

// allVariants is the value of --variant for the file as written and each variant alone.
const allVariants = "all"

// maxHosts limits the hosts of simultaneous labs: each is a namespace, and measured ones have an agent.
const maxHosts = 128

// Arm is one variant of a run of several.
type Arm struct {
	plan         *plan.Plan
	combinations []*experiment.Combination
}

// loadArms plans the file as written and each of its variants alone. Equal combinations share a turn.
func loadArms(e *cli.Env, path string, f *Flags) ([]Arm, error) {
	if f.Lab != "" && f.Lab != NewLab {
		return nil, cli.Fail(cli.ExitInput,
			cli.Advise(fmt.Errorf("--variant all: each variant has a lab of its own, and --in-lab %s is one that "+
				"is up", f.Lab),
				"write --lab"))
	}
	own, err := e.LoadWith(path, "", f.Offloads)
	if err != nil {
		return nil, err
	}
	if len(own.Fabric.Variants) == 0 {
		return nil, cli.Fail(cli.ExitInput, cli.Advise(fmt.Errorf("--variant all: %s defines no variants", path),
			"omit --variant"))
	}
	var arms []Arm
	var combinations []*experiment.Combination
	for _, name := range append([]string{""}, own.Fabric.Variants...) {
		p := own
		if name != "" {
			if p, err = e.LoadWith(path, name, f.Offloads); err != nil {
				return nil, err
			}
		}
		list, err := run.Combinations(p,
			experiment.Options{Only: f.Only, Repeats: f.Repeats, Sources: f.Sources, Commands: f.Commands,
				Lossless: f.Lossless, Lab: f.Lab != ""})
		if err != nil && name == "" {
			return nil, cli.Fail(cli.ExitInput, err)
		}
		if err != nil { // the variant does not have the one selected experiment
			continue
		}
		if name != "" {
			f.Variants = append(f.Variants, name)
		}
		arms = append(arms, Arm{p, list})
		combinations = append(combinations, list...)
	}
	if f.Lab == "" {
		for _, a := range arms[1:] {
			notSetUp(a)
		}
	}
	run.SameTurn(combinations)
	return arms, nil
}

// notSetUp marks the combinations of a variant as not run: outside of a lab no settings are changed.
func notSetUp(a Arm) {
	for _, c := range a.combinations {
		if c.Record.NotRun == "" {
			c.Record.NotRun = fmt.Sprintf(
				"the hosts are set up as the file is written, and measuring changes no settings; set them up as variant %s and "+
					"run it with --variant %s", a.plan.Variant, a.plan.Variant)
		}
	}
}

func combinationsOf(arms []Arm) []*experiment.Combination {
	var out []*experiment.Combination
	for _, a := range arms {
		out = append(out, a.combinations...)
	}
	return out
}

// sideBySide is how many of the arms, from the first, can have their labs up at once.
func sideBySide(arms []Arm) int {
	hosts := 0
	for i, a := range arms {
		if hosts += len(a.plan.Hosts); hosts > maxHosts && i > 0 {
			return i
		}
	}
	return len(arms)
}

// variants measures every arm in a lab of its own: alternating as far as the labs can be up at once, the others one
// after another. All have the scale of the first. before is called when the first labs are up; before that nothing is
// recorded.
func (j *Job) variants(ctx context.Context, base run.Config, before func([]run.Config) error) error {
	n := sideBySide(j.arms)
	groups := [][]Arm{j.arms[:n]}
	for _, a := range j.arms[n:] {
		groups = append(groups, []Arm{a})
	}
	j.Run.Schedule.Turns = n > 1
	if n < len(j.arms) {
		j.Run.Schedule.Text = fmt.Sprintf(
			"not all variants were measured alternately: their labs have more than %d hosts together, so %s came one "+
				"after another",
			maxHosts, strings.Join(names(j.arms[n:]), ", "))
		j.Run.Warnings = append(j.Run.Warnings, j.Run.Schedule.Text)
	}
	for i, group := range groups {
		if err := j.group(ctx, &base, group, i == 0, before); err != nil {
			return err
		}
	}
	return nil
}

func names(arms []Arm) []string {
	return xslices.Map(arms, func(a Arm) string { return a.plan.Variant })
}

// group builds the labs of some arms, measures them alternating and removes them.
func (j *Job) group(ctx context.Context, base *run.Config, group []Arm, first bool,
	before func([]run.Config) error) error {
	var cfgs []run.Config
	var labs []*lab.Lab
	defer func() {
		for _, l := range labs {
			if err := l.Down(); err != nil {
				fmt.Fprintf(j.Err, "warning: %v\n", err)
			}
		}
	}()
	for _, a := range group {
		l, err := j.variantLab(ctx, a)
		if err != nil {
			return err
		}
		labs = append(labs, l)
		cfg := *base
		cfg.Plan, cfg.Combinations, cfg.Lab = a.plan, a.combinations, j.Run.Lab
		cfg.Connection = func(host string) (connect.Spec, error) { return l.Connection(host), nil }
		cfg.SetMTU = setMTU(l.Info.ID)
		cfgs = append(cfgs, cfg)
	}
	if first {
		base.Started = time.Now() // a budget is for measuring, from the first group to the last
		if err := before(cfgs); err != nil {
			return err
		}
	}
	return run.ExecuteAll(ctx, cfgs, j.Run)
}

func (j *Job) variantLab(ctx context.Context, a Arm) (*lab.Lab, error) {
	name := cmp.Or(a.plan.Variant, "the file as written")
	fmt.Fprintf(j.Err, "lab of %s: building %s and %s\n", name, unit.Counted(len(a.plan.Hosts), "host"),
		unit.Counted(len(a.plan.Links), "link"))
	start := time.Now()
	scale := j.Flags.Scale
	if j.Run.Lab != nil {
		scale = j.Run.Lab.Scale
	}
	l, err := lab.Up(ctx, a.plan, j.labOptions(a.plan, a.combinations, scale))
	if err != nil {
		return nil, err
	}
	guestTrouble(j.Env, l, j.Flags.Guests.folder)
	fmt.Fprintln(j.Err, labLine(l.Info, time.Since(start)))
	WithoutGuests(a.plan, a.combinations, l.Info)
	withoutPrograms(a.plan, a.combinations, l.Info)
	withoutModules(j.Env, a.plan, a.combinations, l.Info)
	makeVolumes(a.plan, a.combinations, l.Info.ID)
	if j.Run.Lab == nil || j.Run.Lab.ID == "" {
		j.Run.Lab = labInfo(l.Info)
		j.Run.Lab.Offloads = j.Flags.Offloads
	}
	for _, name := range l.Info.GuestNames() {
		j.Run.Lab.Guests = xslices.AppendNew(j.Run.Lab.Guests, name)
	}
	for _, s := range l.Info.Emulated {
		j.Run.Lab.Emulated = xslices.AppendNew(j.Run.Lab.Emulated, s)
	}
	return l, nil
}

// plans are the plans of a run's experiments, its own first.
func (j *Job) plans() []*plan.Plan {
	if len(j.arms) == 0 {
		return []*plan.Plan{j.Plan}
	}
	return xslices.Map(j.arms, func(a Arm) *plan.Plan { return a.plan })
}

// sameVariants reports whether a run to resume measured the same variants.
func sameVariants(old, now *record.Run) bool {
	return old.Variant == now.Variant && slices.Equal(old.Variants, now.Variants)
}
