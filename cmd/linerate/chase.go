package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/explain"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/run"
)

// chaseAlone is --chase without a time.
const chaseAlone = "60s"

// chaseTime takes the time of "--chase 2m" out of the arguments: a flag that may stand alone has its value behind an equals sign, and so
// the two words are a flag and an argument.
func (f *runFlags) chaseTime(args []string) []string {
	if f.chase != chaseAlone || len(args) != 2 {
		return args
	}
	for i, a := range args {
		if _, err := unit.ParseDuration(a); err == nil {
			if _, err := os.Stat(a); err != nil {
				f.chase = a
				return slices.Delete(slices.Clone(args), i, i+1)
			}
		}
	}
	return args
}

// chaseArgs is the one fabric file of run, with the time of --chase beside it.
func (f *runFlags) chaseArgs(c *cobra.Command, args []string) error {
	return fabricFile("run")(c, f.chaseTime(args))
}

// chaseLimit is how long verdicts may be chased; 0: not at all.
func (f *runFlags) chaseLimit() (time.Duration, error) {
	if f.chase == "" {
		return 0, nil
	}
	d, err := unit.ParseDuration(f.chase)
	switch {
	case err != nil:
		return 0, fmt.Errorf("--chase: %w; alone it is %s, else write --chase 2m", err, chaseAlone)
	case d < 5*time.Second:
		return 0, errors.New("--chase " + f.chase + ": at least 5s, which is one step")
	case d > time.Hour:
		return 0, errors.New("--chase " + f.chase + ": at most 1h")
	}
	return d, nil
}

// chasing is how the run goes on after its verdicts; nil: not at all.
func (j *job) chasing() *run.Chase {
	if j.chase <= 0 {
		return nil
	}
	return &run.Chase{Limit: j.chase, Judge: func(r *record.Run) { explain.Variants(j.plans(), r, j.keptFile) }}
}

// keptFile reads a file of the run folder.
func (j *job) keptFile(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(j.folder.Path, filepath.FromSlash(name)))
}

// chased says on standard error how the chase ended.
func (j *job) chased() {
	c := j.run.Chase
	if c == nil || j.chase <= 0 {
		return
	}
	if c.Steps == 0 && len(c.LeftOut) == 0 {
		fmt.Fprintln(j.news(), "chase: no verdict asks for another experiment")
		return
	}
	fmt.Fprintf(j.news(), "chase: %s in %s of %s", report.Count(c.Steps, "step"), unit.Seconds(c.Seconds), unit.Seconds(c.Limit))
	if n := len(c.LeftOut); n > 0 {
		fmt.Fprintf(j.news(), "; %s left out, the report says which and why", report.Count(n, "step"))
	}
	fmt.Fprintln(j.news())
}
