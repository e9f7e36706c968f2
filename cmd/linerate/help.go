package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/design/fabric"
)

// The order of every help: what the command is for in one sentence, its examples, how it is typed, what else is to be known, and
// its flags. Whoever asks for help mostly wants a line to copy, so that stands before the rest.
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

// helps gives a command and all below it their help.
func helps(c *cobra.Command) {
	c.SetHelpTemplate(helpTemplate)
	c.SetUsageTemplate(usageTemplate)
}

// nearCommand is how a message goes on that a word is no command below c; empty: none has a name much like it.
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

// ownHelp makes the command help refuse what is no command; cobra's prints the help of all and calls it done.
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
				return err
			}
			if len(rest) > 0 && about.HasSubCommands() && !strings.Contains(about.Use, " ") {
				return fail(exitInput, fmt.Errorf("help: %s has no command %q%s; see %s --help", about.CommandPath(), rest[0], nearCommand(about, rest[0]), about.CommandPath()))
			}
			about.InitDefaultHelpFlag()
			about.HelpFunc()(about, rest)
			return nil
		}
	}
}
