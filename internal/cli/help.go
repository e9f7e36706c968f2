package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"linerate/internal/cli/manual"
	"linerate/internal/design/fabric"
	"linerate/internal/report/format"
)

// Group is a heading in the help of the program, and its commands in their order.
type Group struct {
	Title    string
	Commands []string
}

const (
	// shortHelp is the number of lines up to which a help is printed whole. A longer one has two examples and the common
	// flags; --help-all prints the rest.
	shortHelp = 40
	// helpAll is read before the command line is parsed, because every command understands it.
	helpAll = "--help-all"
)

// SetHelp sets the help of all commands: the purpose of the command in one sentence, its examples, its synopsis,
// details, and its flags. Most readers of help want a line to copy, so the examples come early. The program's own help
// lists the commands of the groups alone; exit codes and variables, its long text, come last.
func (e *Env) SetHelp(root *cobra.Command, groups []Group) {
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		c.InitDefaultHelpFlag()
		width := helpWidest
		if f, ok := e.Out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			width = min(e.Terminal().Width, helpWidest)
		}
		io.WriteString(c.OutOrStdout(), HelpOf(c, groups, width, e.allHelp))
	})
}

// HelpOf is the help of a command for lines of a width in columns, with everything if all is set or if it is short. The
// groups are those of the program's help.
func HelpOf(c *cobra.Command, groups []Group, width int, all bool) string {
	h := helpText{c: c, width: max(width, HelpNarrowest), all: true}
	if !c.HasParent() && c.HasSubCommands() {
		h.groups = groups
	}
	text := h.String()
	if !all && strings.Count(text, "\n") > shortHelp {
		h.all = false
		text = h.String()
	}
	return text
}

// wantsAllHelp takes --help-all out of a command line.
func (e *Env) wantsAllHelp(args []string) []string {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	if i := slices.Index(args[:end], helpAll); i >= 0 {
		e.allHelp = true
		args = slices.Clone(args)
		args[i] = "--help"
	}
	return args
}

// helpText is the help of a command. all: with every example, every flag and all details.
type helpText struct {
	c      *cobra.Command
	groups []Group
	width  int
	all    bool
}

func (h helpText) String() string {
	c := h.c
	parts := []string{c.Short + "."}
	if examples := strings.Split(strings.Trim(c.Example, "\n"), "\n"); examples[0] != "" {
		if !h.all && h.groups == nil {
			examples = examples[:min(2, len(examples))]
		}
		parts = append(parts, "Examples:\n"+strings.Join(examples, "\n"))
	}
	usage := c.UseLine()
	if c.HasAvailableSubCommands() && !c.HasParent() {
		usage = c.CommandPath() + " COMMAND"
	}
	parts = append(parts, "Usage: "+usage)
	long := strings.TrimSpace(c.Long)
	if !h.all && h.groups == nil {
		long, _, _ = strings.Cut(long, "\n\n")
	}
	if h.groups == nil && long != "" {
		parts = append(parts, long)
	}
	if text := h.commands(); text != "" {
		parts = append(parts, text)
	}
	text := Fitted(strings.Join(parts, "\n\n"), h.width)
	flags, more := h.flags()
	if flags != "" && h.groups == nil {
		text += "\n\n" + flags
	}
	switch path := c.CommandPath(); {
	case h.groups != nil:
		text += "\n\n\"" + path + " COMMAND --help\" explains a command. -V prints the version."
		if h.all {
			text += "\n\n" + Fitted(long, h.width)
		} else {
			text += "\n\"" + path + " " + helpAll + "\" explains exit codes and variables."
		}
	case c.HasAvailableSubCommands():
		text += "\n\n\"" + path + " COMMAND --help\" explains a command."
	case !h.all:
		text += fmt.Sprintf("\n\n%d more flags, all examples and details: %s", more, strings.Join(append(
			[]string{"linerate"}, append(manual.Path(c), helpAll)...), " "))
	}
	return text + "\n"
}

// commands is the list of the commands below this one, in their groups where there are any.
func (h helpText) commands() string {
	var text strings.Builder
	for _, g := range h.groups {
		text.WriteString("\n" + g.Title + ":\n")
		for _, name := range g.Commands {
			for _, c := range h.c.Commands() {
				if c.Name() == name {
					fmt.Fprintf(&text, "  %-9s %s\n", name, c.Short)
				}
			}
		}
	}
	if h.groups == nil {
		for _, c := range h.c.Commands() {
			if c.IsAvailableCommand() && c.Name() != "help" {
				if text.Len() == 0 {
					text.WriteString("Commands:\n")
				}
				fmt.Fprintf(&text, "  %-*s %s\n", h.c.NamePadding(), c.Name(), c.Short)
			}
		}
	}
	return strings.Trim(text.String(), "\n")
}

// flags lists the flags below the headings of their groups, and returns how many it leaves out.
func (h helpText) flags() (text string, more int) {
	var flags []*pflag.Flag
	h.c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			flags = append(flags, f)
		}
	})
	var rows [][2]string
	titles := map[int]string{}
	all, last, wide := manual.Grouped(h.c, flags), -1, 0
	for _, f := range all {
		if f.More && !h.all {
			more++
			continue
		}
		if f.Group != last {
			last = f.Group
			titles[len(rows)] = f.Title()
		}
		typed, value, what := manual.FlagText(h.c, f.Flag)
		if f.Shorthand == "" {
			typed = "    " + typed
		}
		rows = append(rows, [2]string{typed + value, what})
		if n := len(typed + value); n <= widestFlag {
			wide = max(wide, n)
		}
	}
	if len(titles) == 1 {
		titles[0] = "Flags"
	}
	var lines []string
	for i, row := range rows {
		if title := titles[i]; title != "" {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, title+":")
		}
		indent := strings.Repeat(" ", min(wide+4, h.width/2))
		head := fmt.Sprintf("  %-*s  ", wide, row[0])
		if len(head) > len(indent) {
			lines, head = append(lines, strings.TrimRight(head, " ")), indent
		}
		for _, part := range format.Wrapped([]string{row[1]}, h.width-len(indent)) {
			lines = append(lines, strings.TrimRight(head+part, " "))
			head = indent
		}
	}
	return strings.Join(lines, "\n"), more
}

// widestFlag is the width of flags with their value above which the text begins on the next line.
const widestFlag = 32

// nearCommand is the subcommand of c with a name similar to word; empty: none.
func nearCommand(c *cobra.Command, word string) string {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if near := fabric.Nearest(word, names); near != "" {
		return c.CommandPath() + " " + near
	}
	return ""
}

// ownHelp makes the command help refuse unknown commands; cobra's prints the general help and succeeds.
func ownHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() != "help" {
			continue
		}
		c.Run = nil
		c.RunE = func(_ *cobra.Command, args []string) error {
			about, rest, err := root.Find(args)
			if err != nil {
				return unknownCommand(root, firstWord(rest))
			}
			if len(rest) > 0 && about.HasSubCommands() && !strings.Contains(about.Use, " ") {
				return unknownCommand(about, rest[0])
			}
			about.InitDefaultHelpFlag()
			about.HelpFunc()(about, rest)
			return nil
		}
	}
}
