package manual

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Book is what pages say beside what the commands say of themselves.
type Book struct {
	Version string                                       // of the program
	Date    string                                       // of the version, such as 2026-11-23; empty: none is printed, so that pages are the same whenever they are made
	Exits   []Exit                                       // in the order of their codes
	Env     func(c *cobra.Command, f *pflag.Flag) string // the variable that stands for a flag; empty: none does
	Others  []Variable                                   // that stand for no flag
}

// Exit is an exit code and when the program ends with it.
type Exit struct {
	Code int
	When string
}

// Variable is an environment variable and what it does.
type Variable struct{ Name, What string }

// Commands are a command and all below it that people type, in the order of their names.
func Commands(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range below(c) {
		out = append(out, Commands(sub)...)
	}
	return out
}

// Shown is the annotation of a command that the help hides, for want of room, and the manual has.
const Shown = "in the manual"

// OnlyHere takes a flag out of the help, for want of room, and leaves it in the manual. It panics if there is no such flag.
func OnlyHere(flags *pflag.FlagSet, name string) {
	if err := errors.Join(flags.MarkHidden(name), flags.SetAnnotation(name, Shown, []string{"yes"})); err != nil {
		panic(err)
	}
}

// below are the commands directly below one, without those that nobody types.
func below(c *cobra.Command) (out []*cobra.Command) {
	for _, sub := range c.Commands() {
		if (sub.IsAvailableCommand() || sub.Annotations[Shown] != "") && !sub.IsAdditionalHelpTopicCommand() {
			out = append(out, sub)
		}
	}
	slices.SortFunc(out, func(a, b *cobra.Command) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

// flagsOf are a command's flags without those that nobody types, --help last.
func flagsOf(c *cobra.Command) (out []*pflag.Flag) {
	c.InitDefaultHelpFlag()
	var help *pflag.Flag
	see := func(f *pflag.Flag) {
		switch {
		case f.Hidden && f.Annotations[Shown] == nil:
		case f.Name == "help":
			help = f
		case !slices.ContainsFunc(out, func(have *pflag.Flag) bool { return have.Name == f.Name }):
			out = append(out, f)
		}
	}
	c.NonInheritedFlags().VisitAll(see)
	c.InheritedFlags().VisitAll(see)
	if help != nil {
		out = append(out, help)
	}
	return out
}

// flagText is a flag as it is typed, the word for its value, and what it does.
func flagText(f *pflag.Flag) (typed, value, what string) {
	value, what = pflag.UnquoteUsage(f)
	typed = "--" + f.Name
	if f.Shorthand != "" {
		typed = "-" + f.Shorthand + ", " + typed
	}
	switch value { // the types' names say little to who types
	case "":
	case "int", "uint", "float":
		value = "N"
	case "strings":
		value = "A,B,.."
	case "string", "stringArray", "stringToString":
		value = "VALUE"
	default:
		value = strings.ToUpper(value)
	}
	if f.NoOptDefVal != "" && f.Value.Type() != "bool" {
		value = "[=" + value + "]"
	} else if value != "" {
		value = " " + value
	}
	if def := f.DefValue; !slices.Contains([]string{"", "0", "false", "[]", "0s"}, def) && !strings.Contains(what, "default") {
		what += " (default " + def + ")"
	}
	return typed, value, what
}

// paragraphs are the parts of a help text between blank lines; drawn says that lines have to stay as they are.
type paragraph struct {
	text  string
	drawn bool
}

func paragraphs(text string) (out []paragraph) {
	for _, p := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if strings.TrimSpace(p) == "" {
			continue
		}
		out = append(out, paragraph{p, strings.Contains("\n"+p, "\n ") || strings.Contains("\n"+p, "\n\t")})
	}
	return out
}

// examples are the lines of a command's examples: what is typed, and behind two spaces what it is for.
func examples(c *cobra.Command) (out [][2]string) {
	for _, line := range strings.Split(c.Example, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			typed, what, _ := strings.Cut(line, "  ")
			out = append(out, [2]string{typed, strings.TrimSpace(what)})
		}
	}
	return out
}

// synopsis is how a command is typed.
func synopsis(c *cobra.Command) string { return c.UseLine() }

func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}
