package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/internal/base/diag"
	"linerate/internal/design/fabric"
)

// Errors are the errors of one command line, reported together. With errors the command does nothing else.
type Errors struct {
	List    []error
	unknown bool // a flag among them: then words may be values of it, and are not counted
}

// Add adds an error, or several joined ones.
func (m *Errors) Add(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			m.Add(one)
		}
		return
	}
	if err != nil {
		m.List = append(m.List, err)
	}
}

// Once adds an error unless its text is there: an error of several subjects is reported once.
func (m *Errors) Once(err error) {
	if !slices.ContainsFunc(m.List, func(have error) bool { return have.Error() == err.Error() }) {
		m.Add(err)
	}
}

// Err is nil without errors.
func (m *Errors) Err() error {
	if len(m.List) == 0 {
		return nil
	}
	return Fail(ExitInput, &wrongLine{m.List})
}

// About reports whether a flag's value was invalid.
func (m *Errors) About(flag string) bool {
	return slices.ContainsFunc(m.List, func(err error) bool {
		var v *valueError
		return errors.As(err, &v) && v.flag == flag
	})
}

// wrongLine is a command line with errors.
type wrongLine struct{ errors []error }

func (w *wrongLine) Error() string {
	if len(w.errors) == 1 {
		return w.errors[0].Error()
	}
	text := fmt.Sprintf("%d errors in the command line:", len(w.errors))
	for _, err := range w.errors {
		text += "\n  " + err.Error()
	}
	return text
}

func (w *wrongLine) Unwrap() []error { return w.errors }

// value is a flag's value that records an invalid text instead of ending the parsing of the command line.
type value struct {
	pflag.Value
	name string
	to   *Errors
}

func (v value) Set(text string) error {
	if err := v.Value.Set(text); err != nil {
		v.to.Add(unreadable(v.name, v.Type(), text, err))
	}
	return nil
}

// valueError is an invalid value of a flag.
type valueError struct{ flag, text string }

func (v *valueError) Error() string { return v.text }

// unreadable rewrites the error of a number's parser.
func unreadable(name, kind, text string, err error) error {
	want := map[string]string{"int": "a whole number", "uint64": "a whole number from 0 on",
		"float64": "a number, such as 0.1", "duration": "a time with its unit, such as 2s or 500ms",
		"bool": "true or false", "stringSlice": "a list, such as A,B"}[kind]
	if n, ok := fabric.WholeNumber(text); ok && kind == "int" {
		want = strconv.Itoa(n)
	}
	out := &valueError{flag: name, text: fmt.Sprintf("--%s %s: write %s", name, text, want)}
	if name == "lab" && kind == "bool" { // people write the id of a lab here
		out.text = fmt.Sprintf("--lab=%s: --lab builds a lab and takes no id\nhelp: for a lab that is up write --in-lab %s",
			text, text)
	}
	if errors.Is(err, strconv.ErrRange) {
		out.text = fmt.Sprintf("--%s %s: more than any number it could be; write %s", name, text, want)
	}
	return out
}

// NoteUnreadable makes flags record invalid values.
func NoteUnreadable(flags *pflag.FlagSet, to *Errors) {
	flags.VisitAll(func(f *pflag.Flag) {
		switch f.Value.Type() {
		case "int", "uint64", "float64", "duration", "bool":
			f.Value = value{f.Value, f.Name, to}
		}
	})
}

// careful makes a command and its subcommands collect all errors of a command line before the first is reported.
func (e *Env) careful(c *cobra.Command) {
	NoteUnreadable(c.Flags(), &e.Errors)
	if own := c.Args; own != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			e.fromEnvironment(c)
			if e.Errors.unknown {
				return nil
			}
			args = e.withFabric(c, args)
			err := own(c, args)
			if err == nil || len(e.Errors.List) == 0 {
				return err
			}
			e.Errors.Add(err)
			return nil
		}
	}
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		e.fromEnvironment(c)
		if err := e.Errors.Err(); err != nil && c.Annotations[ChecksItself] == "" {
			return err
		}
		found := e.withFabric(c, args)
		e.TellFabric(args, found)
		return run(c, found)
	}
	for _, sub := range c.Commands() {
		e.careful(sub)
	}
}

// ChecksItself marks a command that adds its own errors to those of its flags.
const ChecksItself = "checks itself"

// unknownFlags records every unknown flag. pflag would end at the first.
func (e *Env) unknownFlags(root *cobra.Command, args []string) {
	c, rest, err := root.Find(args)
	if err != nil {
		return
	}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	for i := 0; i < len(rest) && rest[i] != "--"; i++ {
		word := rest[i]
		if len(word) < 2 || word[0] != '-' {
			continue
		}
		var f *pflag.Flag
		name, _, has := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if strings.HasPrefix(word, "--") {
			f = c.Flags().Lookup(name)
		} else if f = c.Flags().ShorthandLookup(word[1:2]); f != nil {
			has = len(word) > 2
		}
		switch {
		case f == nil && strings.HasPrefix(word, "--"):
			u := &usageError{id: diag.FlagUnknown, text: fmt.Sprintf("%s has no flag --%s", c.CommandPath(), name)}
			others := commandsWith(root, name)
			switch near := fabric.Nearest(name, names); {
			case name == "lab" && c.Flags().Lookup("in-lab") != nil:
				u.fixes = []string{"write --in-lab ID for a lab that is up"}
			case len(others) > 0:
				u.fixes = []string{"--" + name + " is a flag of " + FirstOf(others, 3)}
			case near != "":
				u.fixes = []string{"did you mean --" + near + "?"}
			}
			e.Errors.Add(u)
			e.Errors.unknown = true
		case f == nil:
			e.Errors.Add(&usageError{id: diag.FlagUnknown, text: fmt.Sprintf("%s has no flag -%s", c.CommandPath(), word[1:2])})
			e.Errors.unknown = true
		case !has && f.NoOptDefVal == "":
			i++ // its value
		}
	}
	c.FParseErrWhitelist.UnknownFlags = e.Errors.unknown
}

// commandsWith returns the commands that have a flag, in the order of the help.
func commandsWith(root *cobra.Command, flag string) (paths []string) {
	for _, c := range root.Commands() {
		if c.Hidden {
			continue
		}
		if f := c.LocalFlags().Lookup(flag); f != nil && !f.Hidden && (c.Runnable() || !c.HasSubCommands()) {
			paths = append(paths, c.CommandPath())
		}
		paths = append(paths, commandsWith(c, flag)...)
	}
	return paths
}

// GivenFlags are the flags on the command line.
func GivenFlags(flags *pflag.FlagSet) (names []string) {
	flags.Visit(func(f *pflag.Flag) { names = append(names, f.Name) })
	slices.Sort(names)
	return names
}
