package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/job"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
	"linerate/internal/lab/guest"
)

func labBuildCommand(e *cli.Env) *cobra.Command {
	var modules, systems []string
	var asJSON bool
	c := &cobra.Command{
		Use: "build", Short: "Build what guests are made of, before they are needed",
		Long: `Guests, the hosts of a lab that are whole machines, are made of Debian's packages.
lab up and run --lab build their image where the cache does not have it: some 150 MB
to fetch. Here that is done beforehand.

--image systemd also builds the one of hosts with guest: systemd: Debian with systemd,
udev, systemd-networkd, NetworkManager, netplan and ifupdown, on a disk that outlives
a reboot.

--modules builds what Debian's kernel leaves out, from its source (170 MB to fetch),
without root and into the cache:
  siw        soft iWARP: RDMA devices on NICs with rdma: iwarp
  smbdirect  SMB Direct in cifs and ksmbd, the kernel's client and server of SMB
What the compiler says is in full in the cache, in a file ending in .modules.log.`,
		Example: `  linerate lab build
  linerate lab build --image systemd
  linerate lab build --modules siw,smbdirect`,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("modules") && len(modules) == 0 {
				modules = []string{""}
			}
			if c.Flags().Changed("image") && len(systems) == 0 {
				systems = []string{""}
			}
			if err := guest.CheckKinds(systems); err != nil {
				return cli.Fail(cli.ExitInput, fmt.Errorf("--image: %w", err))
			}
			if err := guest.CheckModules(modules); err != nil {
				return cli.Fail(cli.ExitInput, fmt.Errorf("--modules: %w", err))
			}
			b, err := lab.Build(c.Context(), systems, modules, e.Say)
			var absent *guest.MissingError
			if errors.As(err, &absent) {
				return cli.Fail(cli.ExitIncomplete, err)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return e.PrintObject("lab-build", b)
			}
			fmt.Fprintln(e.Out, job.BuiltLine("image", b.Image))
			for _, s := range b.Systems {
				fmt.Fprintln(e.Out, job.BuiltLine("image", s))
			}
			if b.Modules != nil {
				fmt.Fprintln(e.Out, job.BuiltLine("modules", *b.Modules))
			}
			if b.NoQEMU != "" {
				fmt.Fprintf(e.Err, "warning: no guest can be started on this machine: %s\n", b.NoQEMU)
			}
			return nil
		},
	}
	c.Flags().StringSliceVar(&systems, "image", nil,
		"also build the image of an operating system: "+strings.Join(guest.Kinds(), ", "))
	c.Flags().StringSliceVar(&modules, "modules", nil, "also build these: "+strings.Join(guest.ModuleNames(), ", "))
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func labRebootCommand(e *cli.Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "reboot [ID/]HOST", Short: "Reboot a guest with an operating system, and wait until it is back",
		Args: cli.ExactArgs(1),
		Long: `Starts a host with guest: systemd again and returns when its network is up again, or
shows the last lines of its console. What was written to its disk is there, until
lab down. With a file in /etc/systemd/network, /etc/netplan,
/etc/NetworkManager/system-connections or /etc/network/interfaces.d the network is what
the files make of it; without any the lab sets the plan's addresses.`,
		Example: `  linerate lab exec nas -- sh -c 'cat > /etc/systemd/network/10-fast.network' < 10-fast.network
  linerate lab reboot nas`,
		RunE: func(c *cobra.Command, args []string) error {
			spec, err := connect.Parse("lab " + args[0])
			if err != nil {
				return cli.Fail(cli.ExitInput, err)
			}
			out, err := lab.Reboot(c.Context(), spec.Lab, spec.Name)
			if errors.Is(err, lab.ErrNoReboot) {
				return cli.Fail(cli.ExitInput, err)
			}
			if err != nil {
				return cli.NotThere(err)
			}
			if asJSON {
				return e.PrintObject("lab-reboot", out)
			}
			how := "its network is the plan's, set by the lab: it has no files of configuration"
			if len(out.Files) > 0 {
				how = "its network is that of " + strings.Join(out.Files, ", ")
			}
			fmt.Fprintf(e.Out, "%s: back after %s; %s\n", cli.Clean(out.Host), unit.Seconds(out.Seconds), cli.Clean(how))
			for _, n := range out.Notes {
				fmt.Fprintf(e.Out, "  %s\n", cli.Clean(n))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
