package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/lab/exam"
	"linerate/internal/lab/fault"
	"linerate/internal/run"
	"linerate/internal/traffic"
)

func (e *env) labExam() *cobra.Command {
	var x examRun
	var output, rate string
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
its trials boots them; tagged is its variant tagged, with a VLAN, bonded that of this
name, with a bond, and rdma that with soft RoCE, whose experiment is verbs. Faults that
need what the file does not have are left out and named.`,
		Example: `  linerate lab exam examples/exam.yaml --seed 1
  linerate lab exam examples/exam-guests.yaml --seed 2
  linerate lab exam examples/exam.yaml --seed 2 --only receive-buffer,shaper-tbf -o exam`,
		RunE: func(c *cobra.Command, args []string) error {
			x.env, x.file = e, args[0]
			var err error
			if x.rate, err = unit.ParseBitRate(rate); err != nil || x.rate <= 0 || x.rate > examRate {
				return fail(exitInput, fmt.Errorf("--rate %s: it takes a rate of at most %v, such as 100M", clean(rate), examRate))
			}
			if x.every < 1 {
				return fail(exitInput, fmt.Errorf("--healthy-every %d: it takes 1 or more", x.every))
			}
			if err := x.choose(); err != nil {
				return err
			}
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
			body := examJSON{Seed: x.seed, Began: began.UTC(), Seconds: time.Since(began).Seconds(), Cores: runtime.NumCPU(), Chase: x.chase, LeftOut: x.leftOut, Outcomes: x.outcomes,
				Matrices: exam.Matrices(x.outcomes)}
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
	f.StringVar(&rate, "rate", "200M", "what links carry that are to be the limit; at most 200M, less on a machine that is slow")
	f.IntVar(&x.every, "healthy-every", 1, "one healthy lab for so many faults")
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
	rate       unit.BitRate // of links that are to be the limit
	every      int          // faults for each healthy lab
	faults     []fault.Fault
	leftOut    []string
	outcomes   []exam.Outcome
}

// variants of the file by terrain.
var examVariants = map[fault.Terrain]string{fault.Fast: "fast", fault.Jumbo: "jumbo", fault.Tagged: "tagged", fault.Bonded: "bonded", fault.RDMA: "rdma", fault.Wide: "wide", fault.File: "file"}

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
	places := map[fault.Terrain]*fault.Place{}
	for terrain := range examVariants {
		places[terrain], lacking[terrain] = x.placeIn(terrain)
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
		lacks := cmp.Or(places[f.Terrain], place).Lacks(&f)
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

// cellIn is the file as a terrain has it, planned, with the experiment that is measured in it.
func (x *examRun) cellIn(terrain fault.Terrain) (*plan.Plan, *run.Cell, error) {
	p, err := x.env.loadWith(x.file, examVariants[terrain], "")
	if err != nil {
		return nil, nil, err
	}
	if terrain == fault.RDMA {
		cell, err := requestsCell(p)
		return p, cell, err
	}
	cell, err := streamCell(p, x.experiment)
	return p, cell, err
}

// requestsCell is the first experiment of RDMA that has a goodput.
func requestsCell(p *plan.Plan) (*run.Cell, error) {
	cells, err := run.Cells(p, run.Options{})
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		if c.Exp.NotRun == "" && c.Exp.Method == run.Verbs && c.Exp.Settings["metric"] == traffic.MetricGoodput && len(c.Path.Links) > 0 {
			return c, nil
		}
	}
	return nil, errors.New("it has no experiment of the method verbs with metric: goodput between two hosts")
}

// placeIn is where faults are made in a terrain.
func (x *examRun) placeIn(terrain fault.Terrain) (*fault.Place, error) {
	p, cell, err := x.cellIn(terrain)
	if err != nil {
		return nil, err
	}
	return exam.Place(p, cell.Path, 1)
}

// sendsFile says why there is no experiment that sends a file.
func (x *examRun) sendsFile() error {
	_, cell, err := x.cellIn(fault.File)
	if err == nil && cell.Exp.Settings["source"] == "" {
		err = fmt.Errorf("with its variant %s the experiment %s has no source", examVariants[fault.File], x.experiment)
	}
	return err
}

// examJSON is what lab exam --json prints, and exam.json without its schema.
type examJSON struct {
	Seed     uint64         `json:"seed"`
	Began    time.Time      `json:"began"`
	Seconds  float64        `json:"seconds"`
	Cores    int            `json:"cores"`
	Chase    bool           `json:"chase"` // whether trials chased
	LeftOut  []string       `json:"left_out"`
	Outcomes []exam.Outcome `json:"outcomes"`
	Matrices []exam.Matrix  `json:"matrices"`
}
