package manual

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Book is the content of manual pages beyond what the commands contain.
type Book struct {
	Version string // of the program
	// of the version, such as 2026-11-23; empty: none is printed, so that pages are reproducible
	Date   string
	Exits  []Exit                                       // in the order of their codes
	Env    func(c *cobra.Command, f *pflag.Flag) string // the variable of a flag; empty: none
	Others []Variable                                   // that set no flag
}

// Exit is an exit code and when the program ends with it.
type Exit struct {
	Code int
	When string
}

// Variable is an environment variable and what it does.
type Variable struct{ Name, What string }

// Commands are a command and all its public subcommands, in the order of their names.
func Commands(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range below(c) {
		out = append(out, Commands(sub)...)
	}
	return out
}

// Shown annotates a command that the help omits, for lack of room, and the manual has.
const Shown = "in the manual"

// OnlyHere omits a flag from the help, for lack of room, but not from the manual. It panics if there is no such flag.
func OnlyHere(flags *pflag.FlagSet, name string) {
	if err := errors.Join(flags.MarkHidden(name), flags.SetAnnotation(name, Shown, []string{"yes"})); err != nil {
		panic(err)
	}
}

// below are the direct subcommands, without internal ones.
func below(c *cobra.Command) (out []*cobra.Command) {
	for _, sub := range c.Commands() {
		if (sub.IsAvailableCommand() || sub.Annotations[Shown] != "") && !sub.IsAdditionalHelpTopicCommand() {
			out = append(out, sub)
		}
	}
	slices.SortFunc(out, func(a, b *cobra.Command) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

// flagsOf are a command's flags without internal ones, --help last.
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

// paragraphs are the parts of a help text between blank lines; drawn: its lines must stay unchanged.
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

// examples are the lines of a command's examples: what to type, and after two spaces its purpose.
func examples(c *cobra.Command) (out [][2]string) {
	for _, line := range strings.Split(c.Example, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			typed, what, _ := strings.Cut(line, "  ")
			out = append(out, [2]string{typed, strings.TrimSpace(what)})
		}
	}
	return out
}

// synopsis is the usage line of a command.
func synopsis(c *cobra.Command) string { return c.UseLine() }

func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}
