package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"linerate/internal/design/plan"
	"linerate/internal/report"
)

// compared holds two designs against each other: of two files, or of one with
// two variants.
func (e *env) compared(files []string, variant, against string, asJSON bool) error {
	a, errA := e.load(files[0], variant)
	b, errB := e.load(files[len(files)-1], against)
	switch {
	case errA != nil && errB != nil && errA.Error() != errB.Error():
		return fail(max(exitCode(errA), exitCode(errB)), errors.Join(errA, errB))
	case errA != nil:
		return errA
	case errB != nil:
		return errB
	}
	c := plan.Compare(a, b)
	if asJSON {
		return report.PlanCompareJSON(e.out, c)
	}
	return e.terminal().PlanCompare(c)
}

// comparing says whether a command line of plan is about two designs, and what is
// wrong with it then.
func comparing(c *cobra.Command, files []string, variant, against string) (bool, error) {
	named := slices.Contains(changed(c.Flags()), "against")
	if len(files) < 2 && !named {
		return false, nil
	}
	for _, flag := range []string{"output", "csv"} {
		if slices.Contains(changed(c.Flags()), flag) {
			return true, fmt.Errorf("--%s is of one design, and these are two; leave it away, or plan one of them alone", flag)
		}
	}
	if len(files) == 1 && variant == against {
		return true, fmt.Errorf("--against %q: that is the design itself; name another variant, or a second file", against)
	}
	return true, nil
}
