package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/internal/design/fabric"
)

// mistakes are what is wrong with one command line, to be said together. Beside them nothing is done.
type mistakes struct {
	list    []error
	unknown bool // a flag among them: then words may be values of it, and are not counted
}

// add takes an error, or several that were joined.
func (m *mistakes) add(err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			m.add(one)
		}
		return
	}
	if err != nil {
		m.list = append(m.list, err)
	}
}

// once adds an error unless the same words are there: of several subjects with one mistake it is told once.
func (m *mistakes) once(err error) {
	if !slices.ContainsFunc(m.list, func(have error) bool { return have.Error() == err.Error() }) {
		m.add(err)
	}
}

// err is nil without mistakes.
func (m *mistakes) err() error {
	if len(m.list) == 0 {
		return nil
	}
	return fail(exitInput, &wrongLine{m.list})
}

// about says whether a flag's value could not be read.
func (m *mistakes) about(flag string) bool {
	return slices.ContainsFunc(m.list, func(err error) bool { return strings.HasPrefix(err.Error(), "--"+flag+" ") })
}

// wrongLine is a command line with mistakes.
type wrongLine struct{ mistakes []error }

func (w *wrongLine) Error() string {
	if len(w.mistakes) == 1 {
		return w.mistakes[0].Error()
	}
	text := fmt.Sprintf("%d mistakes in the command line:", len(w.mistakes))
	for _, err := range w.mistakes {
		text += "\n  " + err.Error()
	}
	return text
}

func (w *wrongLine) Unwrap() []error { return w.mistakes }

// value is a flag's value that notes what cannot be read instead of ending the reading of the command line.
type value struct {
	pflag.Value
	name string
	to   *mistakes
}

func (v value) Set(text string) error {
	if err := v.Value.Set(text); err != nil {
		v.to.add(unreadable(v.name, v.Type(), text, err))
	}
	return nil
}

// unreadable says in our words what a number's parser found.
func unreadable(name, kind, text string, err error) error {
	want := map[string]string{"int": "a whole number", "uint64": "a whole number from 0 on", "float64": "a number, such as 0.1", "bool": "true or false",
		"stringSlice": "a list, such as A,B"}[kind]
	if strings.Contains(err.Error(), "out of range") {
		return fmt.Errorf("--%s %s: more than any number it could be; write %s", name, text, want)
	}
	return fmt.Errorf("--%s %s: write %s", name, text, want)
}

// readAll makes flags note what cannot be read.
func readAll(flags *pflag.FlagSet, to *mistakes) {
	flags.VisitAll(func(f *pflag.Flag) {
		switch f.Value.Type() {
		case "int", "uint64", "float64", "bool":
			f.Value = value{f.Value, f.Name, to}
		}
	})
}

// careful makes a command and those below it note all mistakes of a command line before one of them is told.
func (e *env) careful(c *cobra.Command) {
	readAll(c.Flags(), &e.wrong)
	if own := c.Args; own != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			e.fromEnvironment(c)
			if e.wrong.unknown {
				return nil
			}
			args = e.withFabric(c, args)
			err := counted(args, own(c, args))
			if err == nil || len(e.wrong.list) == 0 {
				return err
			}
			e.wrong.add(err)
			return nil
		}
	}
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		e.fromEnvironment(c)
		if err := e.wrong.err(); err != nil && c.Annotations[checksItself] == "" {
			return err
		}
		found := e.withFabric(c, args)
		e.tellFabric(args, found)
		return run(c, found)
	}
	for _, sub := range c.Commands() {
		e.careful(sub)
	}
}

const (
	wordsMissing = "words are missing"
	wordsTooMany = "too many words"
)

// counted puts cobra's words for a wrong number of words into ours.
func counted(args []string, err error) error {
	var most, given int
	switch {
	case err == nil:
		return nil
	case strings.HasPrefix(err.Error(), "requires at least"):
		return errors.New(wordsMissing)
	case !strings.HasPrefix(err.Error(), "accepts "):
		return err
	}
	for _, form := range []string{"accepts %d arg(s), received %d", "accepts at most %d arg(s), received %d", "accepts between 1 and %d arg(s), received %d"} {
		if n, _ := fmt.Sscanf(err.Error(), form, &most, &given); n == 2 {
			break
		}
	}
	if given > most {
		return fmt.Errorf("%s: %s", wordsTooMany, strings.Join(args[most:], " "))
	}
	return errors.New(wordsMissing)
}

// checksItself marks a verb that adds its own mistakes to those of the flags.
const checksItself = "checks itself"

// unknownFlags notes every flag that the command does not have. pflag would end at the first.
func (e *env) unknownFlags(root *cobra.Command, args []string) {
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
			text := "unknown flag: --" + name
			if near := fabric.Nearest(name, names); near != "" {
				text += "; write --" + near
			}
			e.wrong.add(errors.New(text))
			e.wrong.unknown = true
		case f == nil:
			e.wrong.add(fmt.Errorf("unknown shorthand flag: %q in %s", word[1], word))
			e.wrong.unknown = true
		case !has && f.NoOptDefVal == "":
			i++ // its value
		}
	}
	c.FParseErrWhitelist.UnknownFlags = e.wrong.unknown
}

// changed are the flags of a command line, as given.
func changed(flags *pflag.FlagSet) (names []string) {
	flags.Visit(func(f *pflag.Flag) { names = append(names, f.Name) })
	slices.Sort(names)
	return names
}
