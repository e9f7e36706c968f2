package main

import (
	"github.com/spf13/cobra"
)

// root builds the tree of commands afresh; nothing of it is global.
func (e *env) root() *cobra.Command {
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
		Example: `  linerate quick nas                           a minute, no file: what the link to nas carries, as a card to post
  linerate init nas                            write the fabric file of this machine and nas, for linerate run
  linerate run examples/mesh-10g.yaml --lab    measure a fabric in a lab on this machine
  linerate plan examples/nas-40g.yaml          what to buy, which cable goes where, which address
  linerate parts ConnectX-3                    look a part up`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.AddCommand(e.runCommand(), e.quickCommand(), e.initCommand(), e.planCommand(), e.configCommand(), e.applyCommand(), e.partsCommand(), e.labCommand(), e.factsCommand(), e.checkCommand(), e.doctorCommand(), e.ceilingCommand(), e.measureCommand(),
		e.reportCommand(), e.showCommand(), e.explainCommand(), e.whatIfCommand(), e.compareCommand(), e.selftestCommand(), e.agentCommand(), e.versionCommand(), e.schemaCommand(), e.labWireCommand(), e.docsCommand())
	helps(root)
	e.fitHelp(root)
	root.SetVersionTemplate(versionLine())
	e.complete(root)
	return root
}
