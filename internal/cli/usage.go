package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/diag"
	"linerate/internal/base/xslices"
)

// usageError is a command line that cannot be parsed: a word or a flag is missing, unknown or superfluous.
type usageError struct {
	id    diag.ID
	text  string
	word  string         // an unknown command; empty: a different error
	of    *cobra.Command // the command that has no such subcommand
	fixes []string
	notes []string
}

func (u *usageError) Error() string { return u.text }

// help is what to type instead: for an unknown command the most similar one.
func (u *usageError) help() []string {
	if u.of == nil {
		return u.fixes
	}
	if near := nearCommand(u.of, u.word); near != "" {
		return append([]string{"did you mean " + near + "?"}, u.fixes...)
	}
	return u.fixes
}

// isUsage reports whether an error is a command line that cannot be parsed.
func isUsage(err error) bool {
	if wrong := (*wrongLine)(nil); errors.As(err, &wrong) {
		return slices.ContainsFunc(wrong.errors, isUsage)
	}
	var u *usageError
	return errors.As(err, &u)
}

// missingArgs names the arguments of a command that a command line does not have.
func missingArgs(c *cobra.Command, args []string) error {
	var names []string
	for _, word := range strings.Fields(c.Use)[1:] {
		if !strings.HasPrefix(word, "[") || !strings.HasSuffix(word, "]") {
			names = append(names, word)
		}
	}
	names = names[min(len(args), len(names)):]
	u := &usageError{id: diag.ArgumentMissing, text: "missing " + strings.Join(names, " "),
		fixes: []string{"write " + c.UseLine()}}
	if len(names) == 0 { // it is optional, as linerate may find it
		u.text = "missing " + strings.Trim(strings.Fields(c.Use + " argument")[1], "[]")
	}
	if c.Annotations[FindsFabric] != "" {
		u.notes = []string{"no " + FabricName + " is in this folder or above it, and " + FabricVariable + " is not set"}
	}
	return u
}

// unknownCommand is the error of a word that is not a subcommand of c.
func unknownCommand(c *cobra.Command, word string) error {
	return &usageError{id: diag.CommandUnknown, text: fmt.Sprintf("%s has no command %q", c.CommandPath(), word),
		word: word, of: c}
}

func tooManyArgs(c *cobra.Command, extra []string) error {
	return &usageError{id: diag.ArgumentExtra, text: "unexpected argument " + strings.Join(extra, " "),
		fixes: []string{"write " + c.UseLine()}}
}

// NoArgs accepts no positional arguments.
func NoArgs(c *cobra.Command, args []string) error {
	switch {
	case len(args) > 0 && c.HasSubCommands():
		return unknownCommand(c, args[0])
	case len(args) > 0:
		return tooManyArgs(c, args)
	}
	return nil
}

// RangeArgs accepts between low and high positional arguments.
func RangeArgs(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < low:
			return missingArgs(c, args)
		case len(args) > high:
			return tooManyArgs(c, args[high:])
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
	return func(c *cobra.Command, args []string) error {
		if len(args) < n {
			return missingArgs(c, args)
		}
		return nil
	}
}

// typeUsage makes cobra's own errors about a command line usage errors: those of flags, and those of the commands that
// cobra adds.
func typeUsage(root *cobra.Command, args []string) {
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return ofFlags(err.Error()) })
	root.InitDefaultCompletionCmd(args...)
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args = NoArgs
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() } // cobra looks at arguments only of what runs
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
		return unknownCommand(c, firstWord(rest))
	}
	if c.ValidateFlagGroups() != nil {
		return ofGroup(err.Error())
	}
	return err
}

// ofFlags is an error of pflag in the words of other errors.
func ofFlags(text string) error {
	if flag, ok := strings.CutPrefix(text, "flag needs an argument: "); ok {
		if i := strings.LastIndex(flag, " in "); i >= 0 { // 'o' in -o
			flag = flag[i+len(" in "):]
		}
		return &usageError{id: diag.FlagValue, text: "missing value after " + flag}
	}
	if strings.HasPrefix(text, "unknown") {
		return &usageError{id: diag.FlagUnknown, text: text}
	}
	return &usageError{id: diag.FlagValue, text: text}
}

// ofGroup is cobra's error of flags that exclude each other, which ends with "[a b] were all set".
func ofGroup(text string) error {
	u := &usageError{id: diag.FlagsConflict, text: text}
	_, set, _ := strings.Cut(text, "; [")
	if names, _, ok := strings.Cut(set, "] were all set"); ok {
		flags := xslices.Map(strings.Fields(names), func(name string) string { return "--" + name })
		u.text = strings.Join(flags, " and ") + " exclude each other"
		u.fixes = []string{"omit one of the two"}
	}
	return u
}

// firstWord is the first argument that is not a flag.
func firstWord(args []string) string {
	return xslices.First(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
}
