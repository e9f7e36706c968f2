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
		Short: "Get a fast storage network to line rate: plan it, prove it, and say what holds it back",
		Long: `linerate plans a fast storage network from one file, measures every link of it,
and says for each what it carries, what it could carry, and what limits it.

Exit codes: 0 done, every goal met; 1 the program failed; 2 the input is wrong;
3 goals missed, or plan problems of severity error; 4 incomplete (a host failed,
or an experiment or goal was not run or is not known); 5 refused for safety;
130 interrupted.

Every flag has an environment variable, LINERATE_COMMAND_FLAG: LINERATE_RUN_OUTPUT
for run --output. A flag wins; --destroy and --allow.. have to be typed.`,
		Example: `  linerate quick nas                           a minute, no file: what the link to nas carries, as a summary to post
  linerate init nas                            write the fabric file of this machine and nas, for linerate run
  linerate run examples/mesh-10g.yaml --lab    measure a fabric in a lab on this machine
  linerate plan examples/nas-40g.yaml          what to buy, which cable goes where, which address
  linerate parts ConnectX-3                    look a part up`,
		Version:       agent.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cli.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.AddCommand(runCommand(e), quickCommand(e), initCommand(e), planCommand(e), suggestCommand(e), configCommand(e), applyCommand(e),
		partsCommand(e), labCommand(e), factsCommand(e), checkCommand(e), doctorCommand(e), ceilingCommand(e),
		measureCommand(e), reportCommand(e), shareCommand(e), explainCommand(e), whatIfCommand(e), compareCommand(e),
		agentCommand(e), versionCommand(e), schemaCommand(e), labWireCommand(e), docsCommand(e))
	cli.SetHelp(root)
	e.FitHelp(root)
	root.SetVersionTemplate(cli.VersionLine())
	completion.Complete(e, root)
	return root
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
