package main

import (
	"github.com/spf13/cobra"

	"linerate/internal/base/diag"
	"linerate/internal/cli"
	"linerate/internal/cli/planning"
)

func initCommand(e *cli.Env) *cobra.Command {
	var f planning.DraftFlags
	c := &cobra.Command{
		Use:   "init HOST...",
		Short: "Create a fabric file from existing machines",
		Long: `Asks this machine and each HOST for their NICs, links and addresses, and writes the
fabric file that describes them. Parts are found by their PCI ids, and cables by the
networks that the machines share. The file also has experiments. What could not be
seen is in it as a comment. The file is ready for linerate run. Nothing is changed on
any machine.

Up to 8 hosts, the file tests every pair. For more, it tests each host with one
other: pairs at once, where the names are a range. init prints how to test all.

A HOST is a name for ssh (root@nas too), or a connection: "netns A", "lab a1b2/nas".`,
		Example: `  linerate init nas                        this machine and nas
  linerate init root@nas root@pc --others  those two, and not this machine
  linerate init "n[1-4]" -o cluster.yaml --yes`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Fail(cli.ExitInput, &cli.Advice{ID: diag.ArgumentMissing, Text: "missing HOST",
					Help: []string{"write linerate init root@nas"}, Note: []string{"ssh has to reach HOST without a password"}})
			}
			return nil
		},
		Annotations: map[string]string{cli.ChecksItself: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			if err := e.Errors.Err(); err != nil {
				return err
			}
			return planning.DraftFabric(c.Context(), e, args, f)
		},
	}
	c.Flags().StringVarP(&f.Output, "output", "o", cli.FabricName, "the file to write; it must not exist")
	c.Flags().StringVar(&f.Name, "name", "", "the fabric's name (default: those of the hosts)")
	c.Flags().BoolVar(&f.Yes, "yes", false, "ask nothing: what cannot be seen is assumed, and said in the file")
	c.Flags().BoolVar(&f.Others, "others", false, "without this machine")
	c.Flags().StringVar(&f.AgentFile, "agent", "", "the program to send to hosts, instead of this one")
	c.Flags().BoolVar(&f.AsJSON, "json", false, "print one JSON object")
	return c
}
