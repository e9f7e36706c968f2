package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/run"
)

// allVariants is the word of --variant for the file as written and each variant alone.
const allVariants = "all"

// mostHosts bounds the hosts of labs that are up side by side: each is a
// namespace, and those that measure have an agent.
const mostHosts = 128

// arm is one variant of a run of several.
type arm struct {
	plan  *plan.Plan
	cells []*run.Cell
}

// loadArms plans the file as written and each of its variants alone. Their cells
// are put into turns.
func (e *env) loadArms(path string, f *runFlags) ([]arm, error) {
	if f.lab != "" && f.lab != newLab {
		return nil, fail(exitInput, fmt.Errorf("--variant all: each variant has a lab of its own, and --lab=%s is one that is up; write --lab", f.lab))
	}
	own, err := e.loadWith(path, "", f.offloads)
	if err != nil {
		return nil, err
	}
	if len(own.Fabric.Variants) == 0 {
		return nil, fail(exitInput, fmt.Errorf("--variant all: %s defines no variants; leave --variant away", path))
	}
	var arms []arm
	var cells []*run.Cell
	for _, name := range append([]string{""}, own.Fabric.Variants...) {
		p := own
		if name != "" {
			if p, err = e.loadWith(path, name, f.offloads); err != nil {
				return nil, err
			}
		}
		list, err := run.Cells(p, run.Options{Only: f.only, Repeats: f.repeats, Sources: f.sources, Commands: f.commands, Proof: f.proof != "", Lab: f.lab != ""})
		if err != nil && name == "" {
			return nil, fail(exitInput, err)
		}
		if err != nil { // the variant does not have the one experiment that is asked for
			continue
		}
		if name != "" {
			f.variants = append(f.variants, name)
		}
		arms = append(arms, arm{p, list})
		cells = append(cells, list...)
	}
	if f.lab == "" {
		for _, a := range arms[1:] {
			notSetUp(a)
		}
	}
	run.SameTurn(cells)
	return arms, nil
}

// notSetUp lists the cells of a variant as not run: outside the lab nothing is changed.
func notSetUp(a arm) {
	for _, c := range a.cells {
		if c.Exp.NotRun == "" {
			c.Exp.NotRun = fmt.Sprintf("the hosts are set up as the file is written, and measuring changes no settings; set them up as variant %s and run it with --variant %s", a.plan.Variant, a.plan.Variant)
		}
	}
}

func cellsOf(arms []arm) []*run.Cell {
	var out []*run.Cell
	for _, a := range arms {
		out = append(out, a.cells...)
	}
	return out
}

// sideBySide is how many of the arms, from the first, can have their labs up at once.
func sideBySide(arms []arm) int {
	hosts := 0
	for i, a := range arms {
		if hosts += len(a.plan.Hosts); hosts > mostHosts && i > 0 {
			return i
		}
	}
	return len(arms)
}

// variants measures every arm in a lab of its own: in turns as far as the labs can
// be up side by side, the others one after another. All have the scale of the first.
// before is called when the first labs are up; when it was not, nothing is written down yet.
func (j *job) variants(ctx context.Context, base run.Config, before func([]run.Config) error) error {
	n := sideBySide(j.arms)
	groups := [][]arm{j.arms[:n]}
	for _, a := range j.arms[n:] {
		groups = append(groups, []arm{a})
	}
	j.run.Schedule.Turns = n > 1
	if n < len(j.arms) {
		j.run.Schedule.Text = fmt.Sprintf("not all variants were measured in turns: their labs have more than %d hosts together, so %s came one after another", mostHosts, strings.Join(names(j.arms[n:]), ", "))
		j.run.Warnings = append(j.run.Warnings, j.run.Schedule.Text)
	}
	for i, group := range groups {
		if err := j.group(ctx, &base, group, i == 0, before); err != nil {
			return err
		}
	}
	return nil
}

func names(arms []arm) []string {
	var out []string
	for _, a := range arms {
		out = append(out, a.plan.Variant)
	}
	return out
}

// group brings the labs of some arms up, measures them in turns and takes them down.
func (j *job) group(ctx context.Context, base *run.Config, group []arm, first bool, before func([]run.Config) error) error {
	var cfgs []run.Config
	var labs []*lab.Lab
	defer func() {
		for _, l := range labs {
			if err := l.Down(); err != nil {
				fmt.Fprintf(j.err, "linerate: %v\n", err)
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
		cfg.Plan, cfg.Cells, cfg.Lab = a.plan, a.cells, j.run.Lab
		cfg.Reach = func(host string) (connect.Spec, error) { return l.Reach(host), nil }
		cfg.SetMTU = setMTU(l.Info.ID)
		cfgs = append(cfgs, cfg)
	}
	if first {
		base.Started = time.Now() // a budget is for measuring, from the first group to the last
		if err := before(cfgs); err != nil {
			return err
		}
	}
	return run.ExecuteAll(ctx, cfgs, j.run)
}

func (j *job) variantLab(ctx context.Context, a arm) (*lab.Lab, error) {
	name := a.plan.Variant
	if name == "" {
		name = "the file as written"
	}
	fmt.Fprintf(j.err, "lab of %s: building %s and %s\n", name, report.Count(len(a.plan.Hosts), "host"), report.Count(len(a.plan.Links), "link"))
	start := time.Now()
	scale := j.flags.scale
	if j.run.Lab != nil {
		scale = j.run.Lab.Scale
	}
	l, err := lab.Up(ctx, a.plan, j.labOptions(a.plan, a.cells, scale))
	if err != nil {
		return nil, err
	}
	j.guestTrouble(l, j.flags.guests.folder)
	fmt.Fprintln(j.err, labLine(l.Info, time.Since(start)))
	withoutGuests(a.plan, a.cells, l.Info)
	withoutPrograms(a.plan, a.cells, l.Info)
	j.withoutModules(a.plan, a.cells, l.Info)
	makeVolumes(a.plan, a.cells, l.Info.ID)
	if j.run.Lab == nil || j.run.Lab.ID == "" {
		j.run.Lab = labInfo(l.Info)
		j.run.Lab.Offloads = j.flags.offloads
	}
	for _, name := range l.Info.GuestNames() {
		if !slices.Contains(j.run.Lab.Guests, name) {
			j.run.Lab.Guests = append(j.run.Lab.Guests, name)
		}
	}
	for _, s := range l.Info.Emulated {
		if !slices.Contains(j.run.Lab.Emulated, s) {
			j.run.Lab.Emulated = append(j.run.Lab.Emulated, s)
		}
	}
	return l, nil
}

// plans are those that the experiments of a run were measured under, its own first.
func (j *job) plans() []*plan.Plan {
	if len(j.arms) == 0 {
		return []*plan.Plan{j.plan}
	}
	var out []*plan.Plan
	for _, a := range j.arms {
		out = append(out, a.plan)
	}
	return out
}

// sameVariants says whether a run to be resumed measured the same variants.
func sameVariants(old, now *record.Run) bool {
	return old.Variant == now.Variant && slices.Equal(old.Variants, now.Variants)
}
