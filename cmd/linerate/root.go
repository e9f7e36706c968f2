package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"linerate/internal/agent"
	"linerate/internal/agent/process"
	"linerate/internal/cli"
	"linerate/internal/cli/completion"
	"linerate/internal/host/loopback"
	"linerate/internal/lab"
)

// commandTree builds the tree of commands; nothing of it is global.
func commandTree(e *cli.Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "linerate",
		Short: "Find out why a fast network is slow, and what to change",
		Long: `Exit codes:
  0 done, every goal met    1 the program failed    2 the input is wrong
  3 goals missed, or plan problems of severity error
  4 incomplete: a host failed, or a test or goal was not run or is not known
  5 refused for safety      130 interrupted

Every flag has an environment variable, LINERATE_COMMAND_FLAG: LINERATE_RUN_OUTPUT
for run --output. A flag on the command line wins. --destroy and flags that begin
with --allow have no variable.`,
		Example: `  linerate quick nas                           test the link to nas in a minute
  linerate explain iperf3.txt                  explain what another tool measured
  linerate run examples/mesh-10g.yaml --lab    simulate a fabric on this machine and test it`,
		Version:       agent.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cli.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.AddCommand(runCommand(e), quickCommand(e), initCommand(e), planCommand(e), suggestCommand(e), configCommand(e),
		applyCommand(e), partsCommand(e), labCommand(e), factsCommand(e), checkCommand(e), doctorCommand(e),
		ceilingCommand(e),
		measureCommand(e), reportCommand(e), shareCommand(e), explainCommand(e), whatIfCommand(e), compareCommand(e),
		agentCommand(e), versionCommand(e), schemaCommand(e), labWireCommand(e), docsCommand(e))
	e.SetHelp(root, groups)
	root.SetVersionTemplate(cli.VersionLine())
	root.Flags().BoolP("version", "V", false, "print the version")
	completion.Complete(e, root)
	return root
}

// groups are the commands in the program's help. Without a group are those of linerate itself and of developers.
var groups = []cli.Group{
	{Title: "Start here", Commands: []string{"quick", "explain", "doctor"}},
	{Title: "Plan and set up", Commands: []string{"init", "plan", "suggest", "parts", "config", "apply"}},
	{Title: "Test", Commands: []string{"run", "measure", "check", "facts"}},
	{Title: "Results", Commands: []string{"report", "share", "compare", "whatif", "ceiling"}},
	{Title: "Without hardware", Commands: []string{"lab"}},
}

// runHidden takes over if this process was started for an internal purpose: by a lab, as its init, or on the way to a
// command in one of its hosts; as the owner of a loop's ports; by mpirun, instead of ssh; or by an agent, as its
// keeper.
func runHidden() {
	switch filepath.Base(os.Args[0]) {
	case process.LauncherName:
		os.Exit(agent.LauncherMain(os.Args, os.Stderr))
	case process.KeeperName:
		os.Exit(agent.KeeperMain(os.Args, os.Stdin))
	}
	if len(os.Args) > 1 && os.Args[1] == lab.InitCommand {
		os.Exit(lab.InitMain())
	}
	if len(os.Args) > 1 && os.Args[1] == loopback.OwnerCommand {
		os.Exit(loopback.OwnerMain())
	}
	if len(os.Args) > 1 && os.Args[1] == lab.GuestCommand {
		os.Exit(lab.GuestMain())
	}
}

func versionCommand(e *cli.Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the program's version",
		Example: "  linerate version\n  linerate version --json   also what it was built from",
		Args:    cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return cli.PrintVersion(e, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
