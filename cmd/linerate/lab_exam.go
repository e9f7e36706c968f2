package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"linerate/exam"
	"linerate/fault"
	"linerate/lab"
	"linerate/result"
	"linerate/run"
	"linerate/unit"
)

// examRate is what the links of the experiment's path carry in a lab of the exam, in bits per second: little enough that the machine is
// never the limit, whatever else it does.
const examRate = 2e8

// examChase is how long the verdict of one trial may be chased.
const examChase = "30s"

// examPaced is what datagrams are sent at, all streams together, in bits per second: below the link's rate. examPacedFast is that of links faster than
// the machine: a socket's buffer holds less of it than a reader stands still for, and a machine with two cores has time left.
const (
	examPaced     = 0.8 * examRate
	examPacedFast = 1.2e9
)

// guestRate is the same in a lab of two guests, whose processors are emulated. At 50 Mb/s, with other work on the machine, four of five healthy
// runs stayed below the link.
const guestRate = 2e7

// guestBudget of a run leaves an experiment the window that the file asks for.
const guestBudget = "20s"

// examScale is the scale of a lab in which the fastest link of a path carries the exam's rate.
func examScale(t fault.Terrain, fastest unit.BitRate) float64 {
	switch {
	case t == fault.Fast:
		return 1
	case t.Guests():
		return min(1, guestRate/float64(fastest))
	}
	return min(1, examRate/float64(fastest))
}

// errNoGuests ends an exam: without machines there is no trial in terrain guest.
var errNoGuests = errors.New("this machine can start no guests")

func (e *env) labExam() *cobra.Command {
	var x examRun
	var output string
	var asJSON bool
	c := &cobra.Command{
		Use: "exam FABRIC.yaml", Short: "Break one thing after another, and ask whether the verdict finds it", Args: cobra.ExactArgs(1),
		Long: `Brings the fabric up in a lab for each fault, makes the fault with parameters drawn
from the seed, runs the experiment, and asks linerate explain, in a process of its own
that sees only the finished run folder. As many healthy labs are between them. At the
end stands a confusion matrix: what was true, and what the verdicts said.

Terrains: near is the fabric slowed down; far has a round trip of milliseconds; fast is
the variant fast of the file, jumbo and wide those of these names,
and file, whose experiment has a source. In terrain guest both ends are
whole machines (QEMU), for faults of what namespaces share with this machine's kernel; a
file whose experiment has guest: true at both ends is of that terrain alone, and each of
its trials boots them; tagged is its variant tagged, with a VLAN. Faults that need what
the file does not have are left out and named.`,
		Example: `  linerate lab exam examples/exam.yaml --seed 1
  linerate lab exam examples/exam-guests.yaml --seed 2
  linerate lab exam examples/exam.yaml --seed 2 --only receive-buffer,shaper-tbf -o exam`,
		RunE: func(c *cobra.Command, args []string) error {
			x.env, x.file = e, args[0]
			if err := x.choose(); err != nil {
				return err
			}
			var err error
			if x.self, err = os.Executable(); err != nil {
				return err
			}
			x.dir = output
			if output == "" {
				if x.dir, err = os.MkdirTemp("", "exam"); err != nil {
					return err
				}
				defer os.RemoveAll(x.dir)
			} else if err := newFolder(output); err != nil {
				return fail(exitInput, err)
			}
			began := time.Now()
			if err := x.run(c.Context()); err != nil {
				return err
			}
			body := map[string]any{"seed": x.seed, "began": began.UTC(), "seconds": time.Since(began).Seconds(), "chase": x.chase, "left_out": x.leftOut,
				"cores": runtime.NumCPU(), "outcomes": x.outcomes, "matrices": exam.Matrices(x.outcomes)}
			if output != "" {
				b, err := json.MarshalIndent(body, "", " ")
				if err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(output, "exam.json"), append(b, '\n'), 0o644); err != nil {
					return err
				}
			}
			if asJSON {
				return e.object("exam", body)
			}
			for _, m := range exam.Matrices(x.outcomes) {
				fmt.Fprintln(e.out)
				fmt.Fprint(e.out, m.Text())
			}
			for _, l := range x.leftOut {
				fmt.Fprintf(e.out, "left out: %s\n", l)
			}
			return nil
		},
	}
	f := c.Flags()
	f.Uint64Var(&x.seed, "seed", 1, "parameters and order are drawn from it")
	f.StringSliceVar(&x.only, "only", nil, "only these faults, with as many healthy labs")
	f.StringVar(&x.experiment, "experiment", "", "the experiment to run (default: the first that streams)")
	f.BoolVar(&x.chase, "chase", false, "where a verdict asks for another experiment, measure that and judge again, as run --chase does")
	f.StringVarP(&output, "output", "o", "", "keep the run folders and exam.json here, new or empty")
	f.BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// newFolder makes a folder, or refuses one that has something in it.
func newFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty (it has %s); an exam needs a folder that is new or empty", dir, entries[0].Name())
	}
	return err
}

// examRun is one exam.
type examRun struct {
	env        *env
	file       string
	self, dir  string
	seed       uint64
	only       []string
	experiment string
	chase      bool
	faults     []fault.Fault
	leftOut    []string
	outcomes   []exam.Outcome
}

// settings are what a trial's experiment has in place of the file's.
func (x *examRun) settings(t exam.Trial, cell *run.Cell) map[string]string {
	out := map[string]string{}
	if t.Transport == fault.UDP {
		streams := max(1, wholeNumber(cell.Exp.Settings["streams"]))
		rate := examPaced
		if t.Terrain == fault.Fast {
			rate = examPacedFast
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

// variants of the file by terrain.
var examVariants = map[fault.Terrain]string{fault.Fast: "fast", fault.Jumbo: "jumbo", fault.Tagged: "tagged", fault.Wide: "wide", fault.File: "file"}

// choose finds the faults that the fabric has what they need for.
func (x *examRun) choose() error {
	var wrong []error
	for _, id := range x.only {
		if fault.Find(id) == nil {
			wrong = append(wrong, fmt.Errorf("--only %s: no fault of that name; linerate lab fault --list shows them", clean(id)))
		}
	}
	if len(wrong) > 0 {
		return fail(exitInput, errors.Join(wrong...))
	}
	whole, err := x.env.loadWith(x.file, "", "")
	if err != nil {
		return err
	}
	cell, err := streamCell(whole, x.experiment)
	if err != nil {
		return fail(exitInput, fmt.Errorf("%s: %w", x.file, err))
	}
	x.experiment = cell.Exp.Name
	place, err := exam.Place(whole, cell.Path, 1)
	if err != nil {
		return fail(exitInput, err)
	}
	lacking := map[fault.Terrain]error{}
	for terrain, v := range examVariants {
		_, lacking[terrain] = x.env.loadWith(x.file, v, "")
	}
	if lacking[fault.File] == nil {
		lacking[fault.File] = x.sendsFile()
	}
	if place.Switch == "" {
		lacking[fault.Far] = errors.New("there is no switch on the path to put the distance behind")
	}
	others := 0
	for _, f := range fault.All() {
		if len(x.only) > 0 && !slices.Contains(x.only, f.ID) {
			continue
		}
		if place.Guests() && !f.Terrain.Guests() {
			if others++; len(x.only) > 0 {
				x.leftOut = append(x.leftOut, fmt.Sprintf("%s needs namespaces, and both ends have guest: true", f.ID))
			}
			continue
		}
		lacks := place.Lacks(&f)
		if err := lacking[f.Terrain]; err != nil && len(lacks) == 0 {
			lacks = append(lacks, fmt.Sprintf("%s terrain (%v)", f.Terrain, err))
		}
		if len(lacks) > 0 {
			x.leftOut = append(x.leftOut, fmt.Sprintf("%s needs %s", f.ID, strings.Join(lacks, " and ")))
			continue
		}
		x.faults = append(x.faults, f)
	}
	if others > 0 && len(x.only) == 0 {
		x.leftOut = append(x.leftOut, fmt.Sprintf("%d faults of other terrains need namespaces, and both ends have guest: true", others))
	}
	if len(x.faults) == 0 {
		return fail(exitInput, fmt.Errorf("nothing can be broken on the path from %s to %s: %s", cell.Path.From, cell.Path.To, strings.Join(x.leftOut, "; ")))
	}
	return nil
}

// sendsFile says why there is no experiment that sends a file.
func (x *examRun) sendsFile() error {
	p, err := x.env.loadWith(x.file, examVariants[fault.File], "")
	if err != nil {
		return err
	}
	cell, err := streamCell(p, x.experiment)
	if err == nil && cell.Exp.Settings["source"] == "" {
		err = fmt.Errorf("with its variant %s the experiment %s has no source", examVariants[fault.File], x.experiment)
	}
	return err
}

func (x *examRun) run(ctx context.Context) error {
	trials := exam.Draw(x.seed, x.faults)
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
		fmt.Fprintf(x.env.err, "[%d/%d] %-24s %-8s %-20s %s\n", t.Number, len(trials), t.Name(), o.Mark, o.Limiter, clean(firstOf(o.Error, o.Sentence)))
	}
	return nil
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}

// trial builds a lab, breaks it, runs the experiment, and asks for the verdict.
func (x *examRun) trial(ctx context.Context, t exam.Trial, o *exam.Outcome) (err error) {
	p, err := x.env.loadWith(x.file, examVariants[t.Terrain], "")
	if err != nil {
		return err
	}
	cell, err := streamCell(p, x.experiment)
	if err != nil {
		return err
	}
	var busy unit.BitRate
	for _, l := range cell.Path.Links {
		busy = max(busy, l.Speed)
	}
	l, err := lab.Up(ctx, p, lab.Options{Scale: examScale(t.Terrain, busy), NoGuests: !t.Terrain.Guests(), Say: x.env.say})
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
	var r result.Run
	if err := json.Unmarshal(out, &r); err != nil {
		return fmt.Errorf("what explain printed: %w", err)
	}
	if len(r.Experiments) == 0 || r.Experiments[0].Verdict == nil {
		why := "no verdict"
		if len(r.Experiments) > 0 {
			why = firstOf(r.Experiments[0].Failed, r.Experiments[0].NotRun, why)
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
