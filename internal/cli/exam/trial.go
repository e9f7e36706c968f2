package exam

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/lab"
	"linerate/internal/lab/exam"
	"linerate/internal/lab/fault"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
)

// errNoGuests ends an exam: scenario guest needs virtual machines.
var errNoGuests = errors.New("this machine can start no guests")

func (x *Exam) run(ctx context.Context) error {
	trials := exam.Draw(x.Seed, x.faults, x.Every)
	for _, t := range trials {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o := exam.Outcome{Trial: t.Number, Scenario: t.Scenario, Transport: t.Transport, Values: t.Values,
			Truth: "healthy", Folder: fmt.Sprintf("trial-%03d", t.Number)}
		if t.Fault != nil {
			o.Fault, o.Kind, o.Truth = t.Fault.ID, t.Fault.Kind, t.Fault.Cause
		}
		if err := x.trial(ctx, t, &o); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if errors.Is(err, errNoGuests) {
				return err
			}
			o.Mark, o.Error = exam.Failed, err.Error()
		}
		x.outcomes = append(x.outcomes, o)
		fmt.Fprintf(x.env.Err, "[%d/%d] %-24s %-8s %-20s %s\n", t.Number, len(trials), t.Name(), o.Mark, o.Limiter,
			cli.Clean(cmp.Or(o.Error, o.Sentence)))
	}
	return nil
}

// trial builds a lab, injects a fault, runs the experiment, and makes the verdict.
func (x *Exam) trial(ctx context.Context, t exam.Trial, o *exam.Outcome) (err error) {
	p, combination, err := x.combinationIn(t.Scenario)
	if err != nil {
		return err
	}
	var busy unit.BitRate
	for i, l := range combination.Path.Links {
		speed := l.Speed
		if b := combination.Path.Bundle(i); b != nil {
			speed = b.Speed()
		}
		busy = max(busy, speed)
	}
	l, err := lab.Up(ctx, p,
		lab.Options{Scale: exam.Scale(t.Scenario, busy, x.rate), NoGuests: !t.Scenario.Guests(), Say: x.env.Say})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Down()) }()
	if l.Missing != nil {
		return fmt.Errorf("%w: %w", errNoGuests, l.Missing)
	}
	for _, g := range l.Info.Guests {
		if g.Failed != "" {
			return fmt.Errorf("guest %s is not there: %s", g.Host, g.Failed)
		}
	}
	place, err := faultPlace(ctx, x.env, p, combination.Path, l.Info)
	if err != nil {
		return err
	}
	if t.Scenario == fault.Far {
		place.Wire("--delay", fmt.Sprintf("%gms", t.Delay*1000))
	}
	if t.Scenario.HasNICs() {
		place.NICs()
	}
	if place.Source = combination.Record.Settings["source"]; t.Scenario == fault.File {
		place.Drive()
	}
	if t.Scenario.Guests() {
		place.Steady()
	}
	if t.Fault != nil && t.Fault.Make != nil {
		t.Fault.Make(place, t.Values)
	}
	if place.Start(); place.Err != nil {
		return place.Err
	}
	return x.measure(ctx, t, l.Info.ID, combination, o)
}

// measure runs the experiment in a lab and makes the verdict from a copy of the run folder.
func (x *Exam) measure(ctx context.Context, t exam.Trial, id string, combination *experiment.Combination,
	o *exam.Outcome) error {
	dir := filepath.Join(x.dir, o.Folder)
	args := []string{"run", x.File, "--in-lab=" + id, "--experiments", combination.Record.Name, "--repeats",
		strconv.Itoa(max(1, t.Repeats)), "-o", filepath.Join(dir, "run")}
	if v := examVariants[t.Scenario]; v != "" {
		args = append(args, "--variant", v)
	}
	if t.Scenario.Guests() { // a lab's intervals are short unless there is a budget, and the boots dominate the time
		args = append(args, "--budget", exam.GuestBudget)
	}
	if x.FollowUp {
		args = append(args, "--follow-up="+exam.FollowUpTime)
	}
	settings := t.Settings(x.rate, combination.Record.Settings)
	for _, k := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "--set", k+"="+settings[k])
	}
	if combination.Record.Settings["source"] != "" {
		args = append(args, "--allow-source")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if _, err := x.program(ctx, args...); err != nil {
		return err
	}
	blind := filepath.Join(dir, "blind")
	if err := exam.Blind(filepath.Join(dir, "run"), blind, t.Words()); err != nil {
		return err
	}
	out, err := x.program(ctx, "explain", blind, "--json")
	if err != nil {
		return err
	}
	var r record.Run
	if err := json.Unmarshal(out, &r); err != nil {
		return fmt.Errorf("what explain printed: %w", err)
	}
	if len(r.Experiments) == 0 || r.Experiments[0].Verdict == nil {
		why := "no verdict"
		if len(r.Experiments) > 0 {
			why = cmp.Or(r.Experiments[0].Failed, r.Experiments[0].NotRun, why)
		}
		return errors.New(why)
	}
	v := r.Experiments[0].Verdict
	o.Limiter, o.Confidence, o.Component, o.Sentence = v.Limiter, v.Confidence, v.Component, v.Sentence
	if g := r.Experiments[0].Goodput; g != nil {
		o.Goodput = g.Median
	}
	o.Mark = t.Judge(v.Limiter)
	return nil
}

// program runs linerate in a process of its own; missed goals are not a failure.
func (x *Exam) program(ctx context.Context, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, x.self, args...)
	c.Env = cli.WithoutFlags(os.Environ(), x.Commands)
	var out, wrong bytes.Buffer
	c.Stdout, c.Stderr = &out, &wrong
	err := c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == cli.ExitMissed || exit.ExitCode() == cli.ExitIncomplete) {
		err = nil
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(wrong.String()), "\n")
		err = fmt.Errorf("linerate %s: %w: %s", args[0], err, lines[len(lines)-1])
	}
	return out.Bytes(), err
}
