package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"linerate/internal/base/diag"
	"linerate/internal/cli"
	"linerate/internal/cli/inspect"
	"linerate/internal/cli/inventory"
)

func checkCommand(e *cli.Env) *cobra.Command {
	var o inspect.CheckOptions
	c := &cobra.Command{
		Use:   "check [FABRIC.yaml]",
		Short: "Find wrong settings on the hosts and show the fix",
		Long: `Reads the settings of every host of the file that has a connection, and lists what is wrong, the most severe first.
Each finding has its evidence, its cost, its fix and its undo. It changes nothing. With --under-load it also sends traffic
for 2 s, only over NICs with a slow PCI Express link, and reports whether that is power saving.

With --snapshots DIR it asks no host but reads what linerate facts FABRIC.yaml -o DIR kept (DIR/HOST.txtar, DIR/HOST.WHEN.txtar).
That works on any system, years later, and without a fabric file too. DIR/HOST/lspci-vvv.txt and the like, kept by hand, are recognised by name or content.

Exit code 3: a finding of severity error. 4: a host was not asked or did not answer, or what was kept could not be read.
4 comes before 3.`,
		Example: `  linerate check fabric.yaml
  linerate check examples/mesh-10g.yaml --in-lab ID      the hosts of a lab that is up
  linerate check --local                                 this machine alone, without a file
  linerate check --snapshots snapshots                   what was kept, without a file
  linerate check fabric.yaml --checks mtu,wrong-nic --json`,
		Args: cli.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if o.List {
				return inspect.CheckList(e, o.AsJSON)
			}
			if len(args) == 1 {
				o.File = args[0]
			}
			switch {
			case o.File == "" && o.Snapshots == "" && !o.Local:
				e.Errors.Add(&cli.Advice{ID: diag.ArgumentMissing, Text: "missing FABRIC.yaml, --snapshots DIR or --local",
					Help: []string{"linerate check --local checks this machine"}})
			case o.Local && (o.File != "" || o.Snapshots != ""):
				e.Errors.Add(cli.Advise(
					errors.New("--local looks at this machine alone, without a file and without snapshots"),
					"give one of them"))
			case o.Snapshots != "" && o.Lab != "":
				e.Errors.Add(cli.Advise(errors.New("--in-lab asks hosts, --snapshots asks none"),
					"give one of them"))
			case o.File == "" && (o.Lab != "" || o.Variant != ""):
				e.Errors.Add(cli.Advise(errors.New("--in-lab and --variant are about a fabric file"),
					"name it"))
			case o.Load && o.Snapshots != "":
				e.Errors.Add(cli.Advise(errors.New("--under-load: snapshots cannot be loaded")).
					Note("what was read under load is in them if linerate facts FILE --under-load -o DIR " +
						"kept it"))
			case o.Load && o.File == "":
				e.Errors.Add(cli.Advise(
					errors.New("--under-load sends traffic between two hosts: name a fabric file with both")).
					Note("with one machine alone: linerate measure acceptance --loop PORT,PORT, with a " +
						"cable between two of its ports"))
			}
			e.Errors.Add(inspect.ValidChoice(o.Choice))
			e.Errors.Add(cli.CheckJUnitFile(o.Junit))
			if o.Timeout <= 0 {
				e.Errors.Add(fmt.Errorf("--timeout %v: write a time above 0, as 20s", o.Timeout))
			}
			if err := e.Errors.Err(); err != nil {
				return err
			}
			return inspect.CheckHosts(c.Context(), e, o)
		},
	}
	c.Flags().StringVar(&o.Variant, "variant", "", "merge a variant into the file; several with +")
	c.Flags().StringVar(&o.Lab, "in-lab", "", "ask the hosts of the lab with this id, which is up, in place of the "+
		"file's "+
		"own connections")
	c.Flags().BoolVar(&o.Load, "under-load", false,
		"where PCI Express is slow at rest, read it again under 2 s of TCP between two hosts of the file: it may only "+
			"save power")
	c.Flags().BoolVar(&o.Local, "local", false, "this machine alone, without a file")
	c.Flags().DurationVar(&o.Timeout, "timeout", inventory.ConnectTimeout,
		"cut off a host that is not reached within this time; above 20s, it may also take that much longer to answer")
	c.Flags().StringVar(&o.Snapshots, "snapshots", "", "ask no host; read the snapshots in this folder, or this "+
		"NAME.txtar")
	c.Flags().StringVar(&o.AgentFile, "agent", "", "the program to send to hosts, instead of this one")
	c.Flags().StringSliceVar(&o.Choice.Only, "checks", nil, "only these checks")
	c.Flags().StringSliceVar(&o.Choice.Skip, "skip", nil, "all but these checks")
	c.Flags().BoolVar(&o.List, "list", false, "which checks there are")
	c.Flags().BoolVar(&o.AsJSON, "json", false, "print one JSON object")
	c.Flags().StringVar(&o.Junit, "junit", "", "also write the results into this file, as CI systems take those of tests")
	return c
}
