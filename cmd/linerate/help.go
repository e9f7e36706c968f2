package main

import "github.com/spf13/cobra"

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
