package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/xslices"
)

// usageError is a command line that cannot be parsed: a word or a flag is missing, unknown or superfluous. Its message
// ends with the synopsis of the command.
type usageError struct {
	text string
	word string // an unknown command; empty: a different error
}

func (u *usageError) Error() string { return u.text }

// isUsage reports whether an error is a command line that cannot be parsed.
func isUsage(err error) bool {
	var u *usageError
	return errors.As(err, &u)
}

var errArgsMissing = &usageError{text: "words are missing"}

// unknownCommand is cobra's error for a word that is not a subcommand of c.
func unknownCommand(c *cobra.Command, word string) error {
	return &usageError{fmt.Sprintf("unknown command %q for %q", word, c.CommandPath()), word}
}

func tooManyArgs(extra []string) error {
	return &usageError{text: "too many words: " + strings.Join(extra, " ")}
}

// NoArgs accepts no positional arguments.
func NoArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return unknownCommand(c, args[0])
	}
	return nil
}

// RangeArgs accepts between low and high positional arguments.
func RangeArgs(low, high int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < low:
			return errArgsMissing
		case len(args) > high:
			return tooManyArgs(args[high:])
		}
		return nil
	}
}

// ExactArgs accepts n positional arguments.
func ExactArgs(n int) cobra.PositionalArgs { return RangeArgs(n, n) }

// MaximumNArgs accepts up to n positional arguments.
func MaximumNArgs(n int) cobra.PositionalArgs { return RangeArgs(0, n) }

// MinimumNArgs accepts at least n positional arguments.
func MinimumNArgs(n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < n {
			return errArgsMissing
		}
		return nil
	}
}

// typeUsage makes cobra's own errors about a command line usage errors: those of flags, and those of the commands that
// cobra adds.
func typeUsage(root *cobra.Command, args []string) {
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{text: err.Error()} })
	root.InitDefaultCompletionCmd(args...)
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args = NoArgs
		for _, shell := range c.Commands() {
			shell.Args = NoArgs
		}
	}
}

// asUsage makes an error of executing a command line a usage error where it is one: the errors that cobra finds before
// it runs c have no type.
func asUsage(root, c *cobra.Command, args []string, err error) error {
	if err == nil || isUsage(err) {
		return err
	}
	if _, rest, missing := root.Find(args); missing != nil {
		return &usageError{err.Error(), firstWord(rest)}
	}
	if c.ValidateFlagGroups() != nil {
		return &usageError{text: err.Error()}
	}
	return err
}

// firstWord is the first argument that is not a flag.
func firstWord(args []string) string {
	return xslices.First(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
}
