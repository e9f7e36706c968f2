package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/job"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
)

func labCommand(e *cli.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "lab",
		Short: "Simulate a fabric on this machine (Linux)",
		Example: `  linerate lab up examples/mesh-10g.yaml
  linerate lab exec desktop -- ip addr
  linerate lab down`,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(labUpCommand(e), labListCommand(e), labExecCommand(e), labRebootCommand(e), labDownCommand(e),
		labBuildCommand(e), labFaultCommand(e), labExamCommand(e))
	return c
}

func labUpCommand(e *cli.Env) *cobra.Command {
	var o job.LabOptions
	c := &cobra.Command{
		Use: "up FABRIC.yaml", Short: "Build a fabric; it stays until lab down", Args: cli.ExactArgs(1),
		Annotations: map[string]string{cli.FindsFabric: "yes"},
		Long: `Builds a fabric on this machine, out of network namespaces. It stays until lab down.
For scripts, --json prints one object: its id names the lab for lab exec, lab down
and run --in-lab ID.

Guests are hosts that are whole machines (QEMU), with a kernel of their own. Those with
guest: true in the file are guests. With --guests=needed those are, too, whose
experiments need what namespaces do not have: RDMA; the kernel's SMB, NFS, iSCSI and
NVMe over TCP. With --guests every host is one. Each takes 512 MB and some seconds, and where the CPU is
emulated the lab's rates get smaller.

--share shows guests a folder of this machine at ` + lab.ShareAt + `, read-only; with :rw behind
its name they write into it. Namespaces see all of this machine's files where they are.`,
		Example: `  linerate lab up examples/mesh-10g.yaml
  linerate lab up examples/mesh-10g.yaml --guests=needed
  linerate lab up examples/mesh-10g.yaml --guests --share /srv/files:rw`,
		RunE: func(c *cobra.Command, args []string) error {
			return job.BuildLab(c.Context(), e, args[0], o)
		},
	}
	c.Flags().StringVar(&o.Variant, "variant", "", "merge a variant into the file; several with +")
	o.Guests.Add(c.Flags(), "")
	c.Flags().Float64Var(&o.Scale, "scale", 0, "the share of every planned rate, such as 0.1 (default: as calibrated)")
	c.Flags().StringVar(&o.Offloads, "offloads", "", job.OffloadsUsage)
	c.Flags().BoolVar(&o.AsJSON, "json", false, "print one JSON object; its id is what other commands take")
	return c
}

func labListCommand(e *cli.Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the labs of this machine", Args: cli.NoArgs,
		Example: "  linerate lab list\n  linerate lab list --json",
		RunE: func(*cobra.Command, []string) error {
			labs, err := lab.List()
			if err != nil {
				return err
			}
			if asJSON {
				return e.PrintObject("labs", map[string]any{"labs": append([]lab.Summary{}, labs...)}) // never null
			}
			if len(labs) == 0 {
				fmt.Fprintln(e.Out, "no lab is up")
			}
			for _, l := range labs {
				state := unit.Scale(l.Scale) + " scale"
				switch {
				case l.Stray != "":
					state = "left behind: " + l.Stray + "; remove it with: linerate lab down " + l.ID
				case !l.Ready:
					state = "coming up"
				}
				fmt.Fprintf(e.Out, "%s  %s  %s  %s\n", l.ID, cli.Clean(l.Fabric), job.LabHosts(l), state)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func labExecCommand(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "exec [ID/]HOST -- COMMAND..", Short: "Run a command on a host of a lab; the exit code is the command's own",
		Args: cli.MinimumNArgs(2),
		Example: "  linerate lab exec nas -- ip -br address      of the only lab that is up\n  linerate lab exec a1b2/nas " +
			"-- ss -tni        of lab a1b2",
		RunE: func(c *cobra.Command, args []string) error {
			spec, err := connect.Parse("lab " + args[0])
			if err != nil {
				return cli.Fail(cli.ExitInput, err)
			}
			r, err := connect.Open(c.Context(), spec)
			if err != nil {
				return cli.NotThere(err)
			}
			defer r.Close()
			p, err := r.Start(c.Context(), connect.Command{Argv: args[1:], Stdin: e.In, Stdout: e.Out, Stderr: e.Err})
			if err != nil {
				return cli.NotThere(err)
			}
			code, err := p.Wait()
			if err != nil {
				return err
			}
			if code != 0 {
				return cli.Fail(code, nil)
			}
			return nil
		},
	}
}

func labDownCommand(e *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "down [ID]", Short: "Take a lab down with everything in it; without ID the only one", Args: cli.MaximumNArgs(1),
		Example: "  linerate lab down\n  linerate lab down a1b2",
		RunE: func(_ *cobra.Command, args []string) error {
			labs, err := lab.List()
			if err != nil {
				return err
			}
			id := strings.Join(args, "")
			if id == "" {
				switch len(labs) {
				case 0:
					return cli.Fail(cli.ExitInput, &cli.Advice{ID: diag.LabUnknown, Text: "no lab is up",
						Help: []string{"linerate lab up FABRIC.yaml starts one"}})
				case 1:
				default:
					return cli.Fail(cli.ExitInput, cli.Advise(fmt.Errorf("%d labs are up", len(labs)),
						"name one: linerate lab list shows them"))
				}
				id = labs[0].ID
			}
			if !slices.ContainsFunc(labs, func(l lab.Summary) bool { return l.ID == id }) {
				return cli.Fail(cli.ExitInput, cli.Advise(fmt.Errorf("no lab %s is up", cli.Clean(id)),
					"linerate lab list"))
			}
			if err := lab.Down(id); err != nil {
				return err
			}
			fmt.Fprintf(e.Out, "lab %s is down\n", id)
			return nil
		},
	}
}
