package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/explain"
	"linerate/internal/record"
	"linerate/internal/run"
)

// FollowUpAlone is the value of --follow-up without a time.
const FollowUpAlone = "60s"

// FollowUpTime joins "--follow-up 2m" in the arguments: pflag takes the value of a flag that may be alone only after an
// equals sign, and would take the time for an argument.
func (f *Flags) FollowUpTime(args []string) []string {
	if f.FollowUp != FollowUpAlone || len(args) != 2 {
		return args
	}
	for i, a := range args {
		if _, err := unit.ParseDuration(a); err == nil {
			if _, err := os.Stat(a); err != nil {
				f.FollowUp = a
				return slices.Delete(slices.Clone(args), i, i+1)
			}
		}
	}
	return args
}

// FollowUpArgs accepts the fabric file of run, and the time of --follow-up next to it.
func (f *Flags) FollowUpArgs(c *cobra.Command, args []string) error {
	return cli.OneFabricFile("run")(c, f.FollowUpTime(args))
}

// FollowUpLimit is the time limit of follow-ups; 0: none are made.
func (f *Flags) FollowUpLimit() (time.Duration, error) {
	if f.FollowUp == "" {
		return 0, nil
	}
	d, err := unit.ParseDuration(f.FollowUp)
	switch {
	case err != nil:
		return 0, cli.Advise(fmt.Errorf("--follow-up: %w", err), "write --follow-up 2m").
			Note(fmt.Sprintf("without a value it is %s", FollowUpAlone))
	case d < 5*time.Second:
		return 0, errors.New("--follow-up " + f.FollowUp + ": at least 5s, which is one step")
	case d > time.Hour:
		return 0, errors.New("--follow-up " + f.FollowUp + ": at most 1h")
	}
	return d, nil
}

// followUps is the follow-up configuration of the run; nil: none.
func (j *Job) followUps() *run.FollowUps {
	if j.followUp <= 0 {
		return nil
	}
	return &run.FollowUps{Limit: j.followUp, Judge: func(r *record.Run) { explain.Variants(j.plans(), r, j.keptFile) }}
}

// keptFile reads a file of the run folder.
func (j *Job) keptFile(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(j.Folder.Path, filepath.FromSlash(name)))
}

// reportFollowUp prints on standard error how the follow-up ended.
func (j *Job) reportFollowUp() {
	c := j.Run.FollowUp
	if c == nil || j.followUp <= 0 {
		return
	}
	if c.Steps == 0 && len(c.LeftOut) == 0 {
		fmt.Fprintln(j.news(), "follow-up: no verdict asks for another experiment")
		return
	}
	fmt.Fprintf(j.news(), "follow-up: %s in %s of %s", unit.Counted(c.Steps, "step"), unit.Seconds(c.Seconds),
		unit.Seconds(c.Limit))
	if n := len(c.LeftOut); n > 0 {
		fmt.Fprintf(j.news(), "; %s left out, the report says which and why", unit.Counted(n, "step"))
	}
	fmt.Fprintln(j.news())
}
