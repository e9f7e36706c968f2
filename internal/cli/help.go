package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/design/fabric"
)

// The order of every help text: the purpose of the command in one sentence, its examples, its synopsis, details, and
// its flags. Most readers of help want a line to copy, so the examples come early.
const (
	helpTemplate = `{{.Short}}.

{{with .Example}}Examples:
{{.}}

{{end}}{{.UsageString}}`

	usageTemplate = `Usage: {{if .HasAvailableSubCommands}}{{.CommandPath}} COMMAND{{else}}{{.UseLine}}{{end}}
{{with .Long}}
{{. | trimTrailingWhitespaces}}
{{end}}{{if .HasAvailableSubCommands}}
Commands:{{range .Commands}}{{if or .IsAvailableCommand (eq .Name "help")}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{end}}{{if .HasAvailableLocalFlags}}
Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{end}}{{if .HasAvailableInheritedFlags}}
Global Flags:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}
{{end}}{{if .HasAvailableSubCommands}}
"{{.CommandPath}} COMMAND --help" says more of each.
{{end}}`
)

// Group is a heading in the help of the program, and its commands in their order.
type Group struct {
	Title    string
	Commands []string
}

// SetHelp sets the help of a command and its subcommands.
func SetHelp(c *cobra.Command) {
	c.SetHelpTemplate(helpTemplate)
	c.SetUsageTemplate(usageTemplate)
}

// SetProgramHelp sets the help of the program and its commands. The program's own help lists the commands of the groups
// alone.
// Exit codes and variables, its long text, come last.
func SetProgramHelp(root *cobra.Command, groups []Group) {
	root.SetHelpTemplate(helpTemplate)
	root.SetUsageTemplate("Usage: {{.CommandPath}} COMMAND\n" + listed(root, groups) + `
Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}

"{{.CommandPath}} COMMAND --help" explains a command.

{{.Long | trimTrailingWhitespaces}}
`)
	for _, c := range root.Commands() {
		c.SetUsageTemplate(usageTemplate)
	}
}

// listed is the list of commands below root, in their groups.
func listed(root *cobra.Command, groups []Group) string {
	var text strings.Builder
	for _, g := range groups {
		text.WriteString("\n" + g.Title + ":\n")
		for _, name := range g.Commands {
			for _, c := range root.Commands() {
				if c.Name() == name {
					fmt.Fprintf(&text, "  %-9s %s\n", name, c.Short)
				}
			}
		}
	}
	return text.String()
}

// nearCommand suggests subcommands of c with a name similar to word, for the error message; empty: none.
func nearCommand(c *cobra.Command, word string) string {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if near := fabric.Nearest(word, names); near != "" {
		return "; write " + c.CommandPath() + " " + near
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
				return &usageError{err.Error(), firstWord(rest)}
			}
			if len(rest) > 0 && about.HasSubCommands() && !strings.Contains(about.Use, " ") {
				path := about.CommandPath()
				near := nearCommand(about, rest[0])
				return Fail(ExitInput, fmt.Errorf("help: %s has no command %q%s; see %s --help", path, rest[0], near, path))
			}
			about.InitDefaultHelpFlag()
			about.HelpFunc()(about, rest)
			return nil
		}
	}
}
