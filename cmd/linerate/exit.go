package main

import (
	"context"
	"errors"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/host/connect"
)

// The exit codes, as docs/contract.md section 1 gives them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitInput       = 2
	exitMissed      = 3
	exitIncomplete  = 4
	exitRefused     = 5
	exitInterrupted = 130
)

// exitError is an error with its exit code. Without err nothing is printed: what
// there is to say has been said.
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

func fail(code int, err error) error { return &exitError{code, err} }

// exitCode finds the code of an error: an exitError's own, what its type says,
// or "the program failed".
func exitCode(err error) int {
	var own *exitError
	var problems fabric.Problems
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &own):
		return own.code
	case errors.As(err, &problems):
		return exitInput
	case errors.Is(err, connect.ErrRefused):
		return exitRefused
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case usage(err):
		return exitInput
	}
	return exitFailed
}

// usage says whether the error is the command line parser's own: it has no type.
func usage(err error) bool {
	for _, start := range []string{"unknown command", "unknown flag", "unknown shorthand flag", "flag needs an argument", "invalid argument",
		wordsMissing, wordsTooMany, "required flag", "if any flags in the group", "bad flag syntax"} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}
