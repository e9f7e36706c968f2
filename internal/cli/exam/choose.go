package exam

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/lab/exam"
	"linerate/internal/lab/fault"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic"
)

// newFolder makes a folder, or refuses one that is not empty.
func newFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = cli.Advise(fmt.Errorf("%s is not empty (it has %s)", dir, entries[0].Name())).
			Note("an exam needs a folder that is new or empty")
	}
	return err
}

// Exam is one exam.
type Exam struct {
	env        *cli.Env
	Commands   *cobra.Command // the root command; processes of the exam do not inherit the variables of its flags
	File       string
	self, dir  string
	Seed       uint64
	Only       []string
	Experiment string
	FollowUp   bool
	rate       unit.BitRate // of links that must be the bottleneck
	Every      int          // faulty labs for each healthy one
	faults     []fault.Fault
	leftOut    []string
	outcomes   []exam.Outcome
}

// variants of the file by scenario.
var examVariants = map[fault.Scenario]string{fault.Fast: "fast", fault.Jumbo: "jumbo", fault.Tagged: "tagged",
	fault.Bonded: "bonded", fault.RDMA: "rdma", fault.Wide: "wide", fault.File: "file"}

// choose selects the faults that the fabric supports.
func (x *Exam) choose() error {
	var wrong []error
	for _, id := range x.Only {
		if fault.Find(id) == nil {
			wrong = append(wrong,
				cli.Advise(fmt.Errorf("--faults %s: no fault of that name", cli.Clean(id)),
					"linerate lab fault --list shows them"))
		}
	}
	if len(wrong) > 0 {
		return cli.Fail(cli.ExitInput, errors.Join(wrong...))
	}
	whole, err := x.env.LoadWith(x.File, "", "")
	if err != nil {
		return err
	}
	combination, err := streamCombination(whole, x.Experiment)
	if err != nil {
		return cli.Fail(cli.ExitInput, fmt.Errorf("%s: %w", x.File, err))
	}
	x.Experiment = combination.Record.Name
	place, err := exam.Place(whole, combination.Path, 1)
	if err != nil {
		return cli.Fail(cli.ExitInput, err)
	}
	unusable := map[fault.Scenario]error{}
	places := map[fault.Scenario]*fault.Place{}
	for scenario := range examVariants {
		places[scenario], unusable[scenario] = x.placeIn(scenario)
	}
	if unusable[fault.File] == nil {
		unusable[fault.File] = x.sendsFile()
	}
	if place.Switch == "" {
		unusable[fault.Far] = errors.New("there is no switch on the path to put the distance behind")
	}
	others := 0
	for _, f := range fault.All() {
		if len(x.Only) > 0 && !slices.Contains(x.Only, f.ID) {
			continue
		}
		if place.Guests() && !f.Scenario.Guests() {
			if others++; len(x.Only) > 0 {
				x.leftOut = append(x.leftOut, fmt.Sprintf("%s needs namespaces, and both ends have guest: true", f.ID))
			}
			continue
		}
		missing := cmp.Or(places[f.Scenario], place).Missing(&f)
		if err := unusable[f.Scenario]; err != nil && len(missing) == 0 {
			missing = append(missing, fmt.Sprintf("%s scenario (%v)", f.Scenario, err))
		}
		if len(missing) > 0 {
			x.leftOut = append(x.leftOut, fmt.Sprintf("%s needs %s", f.ID, strings.Join(missing, " and ")))
			continue
		}
		x.faults = append(x.faults, f)
	}
	if others > 0 && len(x.Only) == 0 {
		x.leftOut = append(x.leftOut,
			fmt.Sprintf("%d faults of other scenarios need namespaces, and both ends have guest: true", others))
	}
	if len(x.faults) == 0 {
		return cli.Fail(cli.ExitInput,
			fmt.Errorf("nothing can be broken on the path from %s to %s: %s", combination.Path.From, combination.Path.To,
				strings.Join(x.leftOut, "; ")))
	}
	return nil
}

// combinationIn plans the file for a scenario, and returns the experiment to measure.
func (x *Exam) combinationIn(scenario fault.Scenario) (*plan.Plan, *experiment.Combination, error) {
	p, err := x.env.LoadWith(x.File, examVariants[scenario], "")
	if err != nil {
		return nil, nil, err
	}
	if scenario == fault.RDMA {
		combination, err := requestsCombination(p)
		return p, combination, err
	}
	combination, err := streamCombination(p, x.Experiment)
	return p, combination, err
}

// requestsCombination is the first RDMA experiment with a goodput.
func requestsCombination(p *plan.Plan) (*experiment.Combination, error) {
	combinations, err := run.Combinations(p, experiment.Options{})
	if err != nil {
		return nil, err
	}
	for _, c := range combinations {
		if c.Record.NotRun == "" && method.Named(c.Record.Method).UsesRDMA &&
			c.Record.Settings["metric"] == traffic.MetricGoodput && len(c.Path.Links) > 0 {
			return c, nil
		}
	}
	return nil, errors.New("it has no experiment of the method rdma with metric: goodput between two hosts")
}

// placeIn is where faults of a scenario are injected.
func (x *Exam) placeIn(scenario fault.Scenario) (*fault.Place, error) {
	p, combination, err := x.combinationIn(scenario)
	if err != nil {
		return nil, err
	}
	return exam.Place(p, combination.Path, 1)
}

// sendsFile returns why no experiment sends a file.
func (x *Exam) sendsFile() error {
	_, combination, err := x.combinationIn(fault.File)
	if err == nil && combination.Record.Settings["source"] == "" {
		err = fmt.Errorf("with its variant %s the experiment %s has no source", examVariants[fault.File], x.Experiment)
	}
	return err
}

// examJSON is the JSON of lab exam, and exam.json without its schema.
type examJSON struct {
	Seed     uint64         `json:"seed"`
	Began    time.Time      `json:"began"`
	Seconds  float64        `json:"seconds"`
	Cores    int            `json:"cores"`
	FollowUp bool           `json:"follow_up"` // whether trials followed up
	LeftOut  []string       `json:"left_out"`
	Outcomes []exam.Outcome `json:"outcomes"`
	Matrices []exam.Matrix  `json:"matrices"`
}

// JSONType is the type of the JSON of linerate lab exam.
func JSONType() reflect.Type {
	return reflect.TypeFor[examJSON]()
}
