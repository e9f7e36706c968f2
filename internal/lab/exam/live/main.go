// Live judges verdicts on this machine: it measures whether the machine is fit, adapts the rates of its labs to it,
// makes each fault several times, and compares the counts with the promise of package exam. ./test.sh exam builds and
// runs it.
//
// It is a program and not a test: a test passes or fails, and this has a third result: the machine is not fit.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/lab/exam"
)

// The exit codes.
const (
	exitKept      = 0
	exitBroken    = 1
	exitInput     = 2
	exitNotJudged = 3
)

// scoreSchema names the form of score.json.
const scoreSchema = "linerate/exam-score/1"

// The results of an exam.
const (
	resultKept      = "kept"
	resultBroken    = "broken"
	resultNotJudged = "not judged"
)

// score is the content of score.json. docs/exam.md describes it.
type score struct {
	Schema      string       `json:"schema"`
	Date        time.Time    `json:"date"`
	Seconds     float64      `json:"seconds"`
	Result      string       `json:"result"`  // kept, broken, not judged
	Reasons     []string     `json:"reasons"` // why it is not kept
	MachineLine string       `json:"machine_line"`
	Machine     exam.Machine `json:"machine"`
	Near        unit.BitRate `json:"near"` // rate of links that should be the limit
	Fast        unit.BitRate `json:"fast"` // rate of links that should be faster than the machine
	Tries       int          `json:"tries"`
	Seeds       []int        `json:"seeds"` // of linerate lab exam
	Promise     exam.Promise `json:"promise"`
	exam.Tally               // of all cases
	Faults      exam.Tally   `json:"faults"`
	Healthy     exam.Tally   `json:"healthy"`
	Cases       []exam.Case  `json:"cases"`
	LeftOut     []string     `json:"left_out"`
	Trials      []trial      `json:"trials"`
}

// options are those of the command line.
type options struct {
	root, out, record, program string
	seed, tries, every         int
	only                       *regexp.Regexp
	anyway                     bool
	cores                      int // of the machine
	watch                      watching
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := start(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// parse reads the command line.
func parse(args []string, errs io.Writer) (*options, error) {
	o := &options{cores: runtime.NumCPU(), watch: watching{times, 4 * time.Second, 300 * time.Millisecond}}
	f := flag.NewFlagSet("exam", flag.ContinueOnError)
	f.SetOutput(errs)
	f.StringVar(&o.root, "root", ".", "folder of the repository")
	f.StringVar(&o.out, "o", "", "write score.json into this folder, and keep the folders of linerate lab exam")
	f.StringVar(&o.record, "record", "", "keep the first right run folder of each case in this folder, with truth.json")
	f.StringVar(&o.program, "linerate", "", "judge this program (default: the one built from the repository)")
	f.IntVar(&o.seed, "seed", 1, "the first seed of linerate lab exam; the next try has the next one")
	f.IntVar(&o.tries, "tries", 3, "how often each case is judged")
	f.IntVar(&o.every, "healthy-every", 4, "one healthy lab for so many faults of linerate lab exam")
	only := f.String("only", "", "only cases whose \"GROUP: NAME\" matches this regular expression")
	f.BoolVar(&o.anyway, "anyway", false, "go on where the machine cannot be judged by; the result stays \"not judged\"")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	var err error
	if o.only, err = regexp.Compile(*only); err == nil && (f.NArg() > 0 || o.tries < 1 || o.every < 1 || o.seed < 0) {
		err = errors.New("it takes flags alone, -tries and -healthy-every of 1 or more, and a -seed that is not negative")
	}
	if err != nil {
		fmt.Fprintln(errs, "error:", err)
	}
	return o, err
}

// start runs an exam and returns its exit code.
func start(ctx context.Context, args []string, out, errs io.Writer) int {
	o, err := parse(args, errs)
	if err != nil {
		return exitInput
	}
	return o.exam(ctx, out, errs)
}

// exam runs an exam, writes its results, and returns the exit code.
func (o *options) exam(ctx context.Context, out, errs io.Writer) int {
	s, err := sit(ctx, o, out)
	if err != nil {
		fmt.Fprintln(errs, "error:", err)
		return exitInput
	}
	s.conclude()
	if o.out != "" {
		text, err := json.MarshalIndent(s, "", " ")
		if err == nil {
			err = os.WriteFile(filepath.Join(o.out, "score.json"), append(text, '\n'), 0o644)
		}
		if err != nil {
			fmt.Fprintln(errs, "error:", err)
			return exitInput
		}
	}
	s.print(out)
	return map[string]int{resultKept: exitKept, resultBroken: exitBroken, resultNotJudged: exitNotJudged}[s.Result]
}

// sit measures the machine and judges every case.
func sit(ctx context.Context, o *options, out io.Writer) (*score, error) {
	for _, dir := range []string{o.out, o.record} {
		if dir == "" {
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	work, err := os.MkdirTemp("", "lx")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	x := &examiner{options: o, ctx: ctx, say: out, work: work}
	if x.root, err = filepath.Abs(o.root); err != nil {
		return nil, err
	}
	if x.keep = filepath.Join(work, "kept"); o.out != "" {
		if x.keep, err = filepath.Abs(o.out); err != nil {
			return nil, err
		}
	}
	if err := x.build(); err != nil {
		return nil, err
	}
	s := &score{Schema: scoreSchema, Date: time.Now().UTC().Truncate(time.Second), Tries: o.tries,
		Promise: exam.Promised, Reasons: []string{}, Seeds: []int{}, LeftOut: []string{}}
	began, first := time.Now(), x.watch.times()
	if s.Machine, err = x.machine(); err != nil {
		return nil, fmt.Errorf("this machine has no lab to judge in: %w", err)
	}
	for _, l := range s.Machine.Lines() {
		fmt.Fprintln(out, l)
	}
	s.Near = exam.Near(s.Machine.Carried)
	s.Fast, _ = exam.Fast(s.Machine.Carried)
	x.near, x.fast = s.Near, s.Fast
	s.Reasons = append(s.Reasons, s.Machine.Unfit()...)
	if len(s.Reasons) == 0 {
		fmt.Fprintln(out, "This machine can be judged by.")
	} else {
		fmt.Fprintf(out, "This machine cannot be judged by: %s.\n", strings.Join(s.Reasons, "; "))
	}
	if len(s.Reasons) == 0 || o.anyway {
		fmt.Fprintf(out, "Links that are to be the limit carry %v, links that are to be faster than the machine %v.\n\n",
			s.Near, s.Fast)
		x.all()
		s.Machine.OthersDuring, s.Machine.StealDuring = x.pauses.others(), x.watch.times().since(first).steal()
		s.Reasons = s.Machine.Unfit()
		if ctx.Err() != nil {
			s.Reasons = append(s.Reasons, fmt.Sprintf("the exam was interrupted after %d verdicts", len(x.trials)))
		}
	}
	s.MachineLine, s.Cases, s.Trials, s.Seconds = s.Machine.Line(), x.cases, x.trials, time.Since(began).Seconds()
	s.Seeds, s.LeftOut = append(s.Seeds, x.seeds...), append(s.LeftOut, x.leftOut...)
	return s, nil
}

// conclude adds up, and compares the sums with the promise if the machine is fit.
func (s *score) conclude() {
	s.Faults, s.Healthy = exam.Sum(s.Cases)
	s.Tally = s.Faults.Plus(s.Healthy)
	s.Result = resultNotJudged
	if len(s.Reasons) == 0 {
		if s.Result, s.Reasons = resultKept, s.Promise.Broken(s.Faults, s.Healthy); len(s.Reasons) > 0 {
			s.Result = resultBroken
		} else {
			s.Reasons = []string{}
		}
	}
}

// print writes the table and the result.
func (s *score) print(out io.Writer) {
	if len(s.Cases) > 0 {
		fmt.Fprintf(out, "\n%s\n", exam.Table(s.Cases))
		fmt.Fprintf(out, "faults          %s\nhealthy labs    %s\n", s.Faults.Text(), s.Healthy.Text())
		fmt.Fprintf(out,
			"meanwhile       other processes took %.1f %% of the CPU time between the trials, a hypervisor %.1f %% of all\n",
			100*s.Machine.OthersDuring, 100*s.Machine.StealDuring)
	}
	for _, l := range s.LeftOut {
		fmt.Fprintf(out, "left out        %s\n", l)
	}
	fmt.Fprintf(out, "time            %.1f minutes\n", s.Seconds/60)
	switch s.Result {
	case resultKept:
		fmt.Fprintln(out, "The promise is kept.")
	case resultBroken:
		fmt.Fprintf(out, "The promise is not kept: %s.\n", strings.Join(s.Reasons, "; "))
	default:
		fmt.Fprintf(out, "Not judged: %s.\n", strings.Join(s.Reasons, "; "))
	}
}

// build builds the program under test at a short path, because the path of a lab's socket is below it.
func (x *examiner) build() error {
	if x.program != "" {
		path, err := filepath.Abs(x.program)
		x.program = path
		return err
	}
	x.program = filepath.Join(x.work, "linerate")
	c := exec.CommandContext(x.ctx, "go", "build", "-o", x.program, "./cmd/linerate")
	c.Dir, c.Env = x.root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	return nil
}

// bits formats a rate for flags and fabric files.
func bits(r unit.BitRate) string { return strconv.FormatFloat(float64(r)/1e6, 'f', -1, 64) + "M" }
