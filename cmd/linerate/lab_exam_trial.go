package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/lab"
	"linerate/internal/lab/exam"
	"linerate/internal/lab/fault"
	"linerate/internal/record"
	"linerate/internal/run"
)

// examRate is the most that the links of the experiment's path carry in a lab of the exam: little enough that a machine which moves 4 Gb/s
// is never the limit. A slower one takes --rate.
const examRate = 200 * unit.MegabitPerSecond

// examChase is how long the verdict of one trial may be chased.
const examChase = "30s"

// examPaced is what datagrams are sent at, all streams together, as a share of --rate: below the link's. examPacedFast is that of links faster than
// the machine: a socket's buffer holds less of it (1.2 Gb/s) than a reader stands still for, and a machine with two cores has time left.
const (
	examPaced     = 0.8
	examPacedFast = 6
)

// guestRate is the same in a lab of two guests, whose processors are emulated. At 50 Mb/s, with other work on the machine, four of five healthy
// runs stayed below the link.
const guestRate = 2e7

// rdmaRate is that of their soft RoCE, whose every packet an emulated processor makes a checksum of, beside a thread that never sleeps.
const rdmaRate = 8e6

// guestBudget of a run leaves an experiment the window that the file asks for.
const guestBudget = "20s"

// scale is the scale of a lab in which the fastest link of a path, a bond as one, carries the exam's rate.
func (x *examRun) scale(t fault.Terrain, fastest unit.BitRate) float64 {
	switch {
	case t == fault.Fast:
		return 1
	case t == fault.RDMA:
		return min(1, rdmaRate/float64(fastest))
	case t.Guests():
		return min(1, guestRate/float64(fastest))
	}
	return min(1, float64(x.rate/fastest))
}

// errNoGuests ends an exam: without machines there is no trial in terrain guest.
var errNoGuests = errors.New("this machine can start no guests")

// settings are what a trial's experiment has in place of the file's.
func (x *examRun) settings(t exam.Trial, cell *run.Cell) map[string]string {
	out := map[string]string{}
	if t.Transport == fault.UDP {
		streams := max(1, wholeNumber(cell.Exp.Settings["streams"]))
		rate := examPaced * float64(x.rate)
		if t.Terrain == fault.Fast {
			rate = examPacedFast * float64(x.rate)
		}
		out["transport"], out["pace"] = fault.UDP, fmt.Sprintf("%gM", math.Round(rate/1e4/float64(streams))/100)
	}
	if t.Fault != nil && t.Fault.Settings != nil {
		maps.Copy(out, t.Fault.Settings(t.Values))
	}
	return out
}

// wholeNumber is what a setting says; 0: it is none.
func wholeNumber(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func (x *examRun) run(ctx context.Context) error {
	trials := exam.Draw(x.seed, x.faults, x.every)
	for _, t := range trials {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o := exam.Outcome{Trial: t.Number, Terrain: t.Terrain, Transport: t.Transport, Values: t.Values, Truth: "healthy", Folder: fmt.Sprintf("trial-%03d", t.Number)}
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
		fmt.Fprintf(x.env.err, "[%d/%d] %-24s %-8s %-20s %s\n", t.Number, len(trials), t.Name(), o.Mark, o.Limiter, clean(cmp.Or(o.Error, o.Sentence)))
	}
	return nil
}

// trial builds a lab, breaks it, runs the experiment, and asks for the verdict.
func (x *examRun) trial(ctx context.Context, t exam.Trial, o *exam.Outcome) (err error) {
	p, cell, err := x.cellIn(t.Terrain)
	if err != nil {
		return err
	}
	var busy unit.BitRate
	for i, l := range cell.Path.Links {
		speed := l.Speed
		if b := cell.Path.Bundle(i); b != nil {
			speed = b.Speed()
		}
		busy = max(busy, speed)
	}
	l, err := lab.Up(ctx, p, lab.Options{Scale: x.scale(t.Terrain, busy), NoGuests: !t.Terrain.Guests(), Say: x.env.say})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Down()) }()
	if l.Lacking != nil {
		return fmt.Errorf("%w: %w", errNoGuests, l.Lacking)
	}
	for _, g := range l.Info.Guests {
		if g.Failed != "" {
			return fmt.Errorf("guest %s is not there: %s", g.Host, g.Failed)
		}
	}
	place, err := x.env.faultPlace(ctx, p, cell.Path, l.Info)
	if err != nil {
		return err
	}
	if t.Terrain == fault.Far {
		place.Wire("--delay", fmt.Sprintf("%gms", t.Delay*1000))
	}
	if t.Terrain.Cards() {
		place.Cards()
	}
	if place.Source = cell.Exp.Settings["source"]; t.Terrain == fault.File {
		place.Drive()
	}
	if t.Terrain.Guests() {
		place.Steady()
	}
	if t.Fault != nil && t.Fault.Make != nil {
		t.Fault.Make(place, t.Values)
	}
	if place.Start(); place.Err != nil {
		return place.Err
	}
	return x.measure(ctx, t, l.Info.ID, cell, o)
}

// measure runs the experiment in a lab and has the verdict made of a copy of the run folder.
func (x *examRun) measure(ctx context.Context, t exam.Trial, id string, cell *run.Cell, o *exam.Outcome) error {
	dir := filepath.Join(x.dir, o.Folder)
	args := []string{"run", x.file, "--lab=" + id, "--only", cell.Exp.Name, "--repeats", strconv.Itoa(max(1, t.Repeats)), "-o", filepath.Join(dir, "run")}
	if v := examVariants[t.Terrain]; v != "" {
		args = append(args, "--variant", v)
	}
	if t.Terrain.Guests() { // a lab's windows are short unless there is a budget, and the boots are what takes long
		args = append(args, "--budget", guestBudget)
	}
	if x.chase {
		args = append(args, "--chase="+examChase)
	}
	settings := x.settings(t, cell)
	for _, k := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "--set", k+"="+settings[k])
	}
	if cell.Exp.Settings["source"] != "" {
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

// program runs this program in a process of its own; goals that are missed are no failure.
func (x *examRun) program(ctx context.Context, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, x.self, args...)
	c.Env = withoutFlags(os.Environ(), (&env{}).root())
	var out, wrong bytes.Buffer
	c.Stdout, c.Stderr = &out, &wrong
	err := c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == exitMissed || exit.ExitCode() == exitIncomplete) {
		err = nil
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(wrong.String()), "\n")
		err = fmt.Errorf("linerate %s: %w: %s", args[0], err, lines[len(lines)-1])
	}
	return out.Bytes(), err
}
