package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/lab/exam"
	"linerate/internal/record"
)

// patience bounds one command of the program. One that takes longer is a failed trial.
const patience = 5 * time.Minute

var errNoFigure = errors.New("the experiment has no figure")

// examiner judges one case after another.
type examiner struct {
	*options
	ctx        context.Context
	say        io.Writer
	work, keep string // short folders of its own; keep stays, with -o
	near, fast unit.BitRate
	folders    int
	pauses     coreTimes
	cases      []exam.Case
	trials     []trial
	seeds      []int
	leftOut    []string
}

// trial is one verdict.
type trial struct {
	Name       string    `json:"name"`
	Group      string    `json:"group"`
	Truth      []string  `json:"truth"` // each one is right
	Mark       exam.Mark `json:"mark"`
	Limiter    string    `json:"limiter,omitempty"`
	Confidence string    `json:"confidence,omitempty"`
	Sentence   string    `json:"sentence,omitempty"` // of the verdict, or why there is none
}

// one is a case: what is judged, and the right answers.
type one struct {
	group, name string
	healthy     bool // nothing is broken: a wrong verdict accuses it
	truth       []string
}

func (c one) id() string { return c.group + ": " + c.name }

// wanted reports whether the command line selects a case.
func (x *examiner) wanted(c one) bool { return x.ctx.Err() == nil && x.only.MatchString(c.id()) }

// count adds a trial to its case and prints it.
func (x *examiner) count(c one, m exam.Mark, said, sentence string) {
	x.counted(c, m, &record.Verdict{Limiter: said, Sentence: sentence})
}

func (x *examiner) counted(c one, m exam.Mark, v *record.Verdict) {
	if x.ctx.Err() != nil {
		return // an interrupted trial does not count
	}
	x.trials = append(x.trials, trial{c.name, c.group, c.truth, m, v.Limiter, v.Confidence, v.Sentence})
	x.cases = exam.Count(x.cases, c.name, c.group, c.healthy, m, cmp.Or(v.Limiter, string(m)))
	fmt.Fprintf(x.say, "%-40s %-8s %-20s %s\n", c.id(), m, v.Limiter, v.Sentence)
}

// failed counts a trial that gave no verdict.
func (x *examiner) failed(c one, err error) {
	x.count(c, exam.Failed, "", strings.Join(strings.Fields(err.Error()), " "))
}

// judge counts the verdict of each experiment of a run, and keeps the folder of one in which all are right.
func (x *examiner) judge(c one, r *record.Run, err error, folder string, m made) {
	if err != nil {
		x.failed(c, err)
		return
	}
	right := true
	for _, e := range r.Experiments {
		if e.Verdict == nil {
			x.failed(c, errors.New(cmp.Or(e.Failed, e.NotRun, "no verdict")))
			right = false
			continue
		}
		mark := exam.MarkOf(e.Verdict.Limiter, c.truth...)
		x.counted(c, mark, e.Verdict)
		right = right && mark == exam.Right
	}
	if right {
		x.recorded(c, c.truth, folder, m)
	}
}

// truth is the content of truth.json in a recorded run folder.
type truth struct {
	Truth []string `json:"truth"` // the verdicts that are right
	made
}

// made describes how a run folder was made.
type made struct {
	Made string `json:"made"` // the command line that measured
	Note string `json:"note"` // what was broken before
}

// madeBy returns a command line with the name of its file and without a lab's id.
func (l *lab) madeBy(args []string) made {
	line := strings.NewReplacer(l.fabric, filepath.Base(l.fabric), "--in-lab="+l.id, "--in-lab ID").
		Replace(strings.Join(args, " "))
	return made{"linerate " + line, l.note}
}

// own are the groups whose cases are recorded under their own names.
var own = []string{spoiledGroup, examGroup, "accounts", "what-if"}

// recordName returns the folder of a case.
func recordName(c one) string {
	name := c.name
	if !slices.Contains(own, c.group) {
		name = c.group + " " + name
	}
	return strings.NewReplacer(", ", "-", " ", "-", "/", "-").Replace(name)
}

// recorded keeps a run folder under its case's name, if the command line requests it and the case has none yet.
func (x *examiner) recorded(c one, right []string, folder string, m made) {
	if x.record == "" {
		return
	}
	to := filepath.Join(x.record, recordName(c))
	if _, err := os.Stat(to); err == nil {
		return
	}
	text, err := json.MarshalIndent(truth{right, m}, "", " ")
	if err == nil {
		err = os.CopyFS(to, os.DirFS(folder))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "truth.json"), append(text, '\n'), 0o644)
	}
	if err != nil {
		fmt.Fprintln(x.say, "warning: the run folder is not kept:", err)
	}
}

// folder returns the path of a new folder, which the caller creates.
func (x *examiner) folder() string {
	x.folders++
	return filepath.Join(x.work, fmt.Sprintf("r%d", x.folders))
}

// copy copies a file of the repository into the work folder, with replacements (old, new, ..), each of which must
// match.
func (x *examiner) copy(name string, edit ...string) (string, error) {
	text, err := os.ReadFile(filepath.Join(x.root, name))
	if err != nil {
		return "", err
	}
	s := string(text)
	for i := 0; i+1 < len(edit); i += 2 {
		if !strings.Contains(s, edit[i]) {
			return "", fmt.Errorf("%s does not have %q", name, edit[i])
		}
		s = strings.ReplaceAll(s, edit[i], edit[i+1])
	}
	dir := x.folder()
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	to := filepath.Join(dir, filepath.Base(name))
	return to, os.WriteFile(to, []byte(s), 0o644)
}

// Exit codes of the program with which there is a result: missed goals, skipped experiments.
var withResult = []int{0, 3, 4}

// linerate runs the program under test and returns its standard output.
func (x *examiner) linerate(args ...string) ([]byte, error) {
	return x.linerateIn(x.ctx, patience, args...)
}

// patient is linerate for a command that does the work of several.
func (x *examiner) patient(several int, args ...string) ([]byte, error) {
	return x.linerateIn(x.ctx, time.Duration(several)*patience, args...)
}

func (x *examiner) linerateIn(ctx context.Context, limit time.Duration, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, x.program, args...)
	c.Dir, c.Env = x.work, append(os.Environ(), "XDG_RUNTIME_DIR="+x.work)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGINT) }
	c.WaitDelay = 30 * time.Second
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && slices.Contains(withResult, exit.ExitCode()) {
		err = nil
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
		err = fmt.Errorf("linerate %s: %w: %s", strings.Join(args[:min(2, len(args))], " "),
			cmp.Or(context.Cause(ctx), err), lines[len(lines)-1])
	}
	return out.Bytes(), err
}

// measure runs the program with --json and reads the run that it prints.
func (x *examiner) measure(args ...string) (*record.Run, error) {
	text, err := x.linerate(append(args, "--json")...)
	if err != nil {
		return nil, err
	}
	r := &record.Run{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("what linerate %s printed: %w", args[0], err)
	}
	if len(r.Experiments) == 0 {
		return nil, errNoFigure
	}
	return r, nil
}

// lab is a running lab.
type lab struct {
	*examiner
	id, fabric string
	note       string // what was broken in it
}

// inLab builds a lab of a file, calls do, and ends the lab.
func (x *examiner) inLab(file string, scale float64, do func(*lab) error) error {
	text, err := x.linerate("lab", "up", file, "--scale", fmt.Sprintf("%.6g", min(1, scale)), "--json")
	if err != nil {
		return err
	}
	l := &lab{examiner: x, fabric: file}
	var up struct{ ID string }
	if err := json.Unmarshal(text, &up); err != nil {
		return err
	}
	l.id = up.ID
	defer x.linerateIn(context.WithoutCancel(x.ctx), patience, "lab", "down", l.id)
	return do(l)
}

// labOf judges a case in a lab of a file of the repository (see copy), and counts an error as a failed trial.
func (x *examiner) labOf(c one, file string, edit []string, scale float64, do func(*lab) error) {
	fabric, err := x.copy(file, edit...)
	if err == nil {
		err = x.inLab(fabric, scale, do)
	}
	if err != nil {
		x.failed(c, err)
	}
}

// spoil runs commands on hosts of the lab, each a host and its command, and records them.
func (l *lab) spoil(commands [][]string) error {
	for _, argv := range commands {
		if err := l.on(argv[0], argv[1:]...); err != nil {
			return fmt.Errorf("on %s: %q: %w", argv[0], argv[1:], err)
		}
		l.note += strings.Join(argv, " ") + "\n"
	}
	return nil
}

// on runs a command on a host of the lab.
func (l *lab) on(host string, argv ...string) error {
	_, err := l.linerate(append([]string{"lab", "exec", l.id + "/" + host, "--"}, argv...)...)
	return err
}

// run measures in the lab and judges every experiment, as often as the command line says.
func (l *lab) run(c one, args ...string) {
	args = append([]string{"run", l.fabric, "--in-lab=" + l.id, "--repeats", "1"}, args...)
	for range l.tries {
		if !l.wanted(c) {
			return
		}
		l.pause()
		folder := l.folder()
		r, err := l.measure(append(args, "-o", folder)...)
		l.judge(c, r, err, folder, l.madeBy(args))
	}
}
