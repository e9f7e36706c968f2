package main

import (
	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/inspect"
	"linerate/internal/cli/inventory"
)

func factsCommand(e *cli.Env) *cobra.Command {
	var o inspect.FactsOptions
	c := &cobra.Command{
		Use:   "facts [FABRIC.yaml|HOST..]",
		Short: "Show NICs, links, PCIe slots and the maximum speed of each port",
		Long: `Looks at this machine (--local), at each HOST, and at every host of the file that has a connection, all at once. A HOST is what measure takes:
nas, root@nas, "netns a". With --snapshots it reads what was kept of them. It changes nothing, needs neither root nor other programs, and
says what it could not read, and why.

Prints every NIC with its way to the CPU, the maximum speed of each port and what limits it. -o keeps
what was read as text, a file a host, for linerate check --snapshots; --json has everything, parsed.

A machine that linerate cannot reach is asked by hand: --script windows prints the script for it, --script eos (onyx, cumulus, sonic,
routeros) the commands for a switch. What they print goes into a file of the folder DIR/MACHINE: facts and check --snapshots DIR read it.

Exit code 4: a host could not be asked.`,
		Example: `  linerate facts --local                        this machine; no file is needed
  linerate facts --local --raw                  what was read, as one text
  linerate facts nas root@desk                  two machines, over ssh
  linerate facts home.yaml -o snapshots         every host of the file that has a connection
  linerate facts --snapshots snapshots          what was kept of them, or pasted by hand
  linerate facts home.yaml --in-lab a1b2 --json the hosts of a lab that is up, parsed
  linerate facts --script windows               a script for a machine that linerate does not reach`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			inspect.FactsWords(e, &o, args)
			if err := inspect.FactsWrong(e, o); err != nil {
				return err
			}
			switch {
			case o.Script != "":
				return inspect.ScriptFacts(e, o.Script)
			case o.DryRun:
				return inspect.DryFacts(e, o)
			case o.Local:
				return inspect.LocalFacts(c.Context(), e, o)
			case o.Snapshots != "":
				return inspect.KeptFacts(e, o)
			}
			return inspect.FabricFacts(c.Context(), e, o)
		},
	}
	c.Flags().BoolVar(&o.Local, "local", false, "this machine alone")
	c.Flags().StringVar(&o.Snapshots, "snapshots", "", "ask no host; read the snapshots in this folder, or this "+
		"NAME.txtar")
	c.Flags().StringVarP(&o.Output, "output", "o", "",
		"keep what was read: a folder for one snapshot a host; with --local also a file NAME.txtar")
	c.Flags().BoolVar(&o.Raw, "raw", false, "with --local: print what was read as it is kept")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "query no host; show every file, call and command that would be read")
	c.Flags().BoolVar(&o.Load, "under-load", false,
		"of a file's hosts: where PCI Express is slow at rest, read it again under 2 s of TCP between two of them")
	c.Flags().StringVar(&o.Script, "script", "",
		"query no host; print what is run by hand on a machine with this system: windows, onyx, cumulus, sonic, eos, "+
			"routeros")
	c.Flags().BoolVar(&o.AsJSON, "json", false, "print the parsed facts as one JSON object")
	c.Flags().StringVar(&o.Lab, "in-lab", "", "ask the hosts of the lab with this id, which is up, in place of the "+
		"file's "+
		"own connections")
	c.Flags().DurationVar(&o.Timeout, "timeout", inventory.ConnectTimeout,
		"cut off a host that is not reached within this time; above 20s, it may also take that much longer to answer")
	c.Flags().BoolVar(&o.KeepSerials, "keep-serials", false,
		"leave serial numbers and secrets in what is kept; else they are masked")
	c.Flags().StringVar(&o.AgentFile, "agent", "", "the program to send to hosts, instead of this one")
	return c
}
