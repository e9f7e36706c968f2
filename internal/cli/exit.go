package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
)

// The exit codes, as in docs/contract.md section 1.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitInput       = 2
	ExitMissed      = 3
	ExitIncomplete  = 4
	ExitRefused     = 5
	ExitInterrupted = 130
)

// exitError is an error with its exit code. Without err nothing is printed: the message is out already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// Fail returns an error that ends the program with an exit code.
func Fail(code int, err error) error { return &exitError{code, err} }

// ExitCode returns the code of an error: an exitError's own, that of its type, or "the program failed".
func ExitCode(err error) int {
	var own *exitError
	var problems fabric.Problems
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &own):
		return own.code
	case errors.As(err, &problems):
		return ExitInput
	case errors.Is(err, connect.ErrRefused):
		return ExitRefused
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case isUsage(err):
		return ExitInput
	}
	return ExitFailed
}

// The help of flags that several commands have.
const (
	QuietUsage = "print only the report and errors, no progress"
	JunitUsage = "also write the goals as JUnit XML, for CI systems"
)

// CheckJUnitFile refuses the name of a folder, before anything is measured.
func CheckJUnitFile(name string) error {
	if info, err := os.Stat(name); name != "" && err == nil && info.IsDir() {
		return Advise(fmt.Errorf("--junit %s: it is a folder", name),
			"name a file")
	}
	return nil
}

// WriteJUnitGoals writes which goals of a run are met, as test results.
func WriteJUnitGoals(name string, r *record.Run) error {
	if err := runfolder.WriteFile(name, func(w io.Writer) error { return report.JUnitGoals(w, r) }); err != nil {
		return Fail(ExitInput, fmt.Errorf("--junit: %w", err))
	}
	return nil
}

// NotThere gives the error of a missing lab or host the exit code of a wrong input.
func NotThere(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return Fail(ExitInput, err)
	}
	return err
}

// InputOr gives an error of the run folder its exit code.
func InputOr(err error) error {
	if errors.Is(err, runfolder.ErrInput) {
		return Fail(ExitInput, err)
	}
	return err
}

// PlanExit is the exit code of a plan: 3 for problems of severity error.
func PlanExit(p *plan.Plan) error {
	for _, problem := range p.Problems {
		if problem.Severity == record.Error {
			return Fail(ExitMissed, nil)
		}
	}
	return nil
}
