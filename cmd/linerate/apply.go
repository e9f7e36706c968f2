package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/settings"
	"linerate/internal/host/apply"
)

func applyCommand(e *cli.Env) *cobra.Command {
	var o settings.ApplyOptions
	c := &cobra.Command{
		Use:   "apply FABRIC.yaml HOST...",
		Short: "Configure Linux hosts over ssh, with automatic rollback",
		Long: `Shows what is not as planned on each host, applies its config over its connection, verifies it, and keeps the undo on both sides.
A timer on the host takes everything back when the verification fails, or when linerate does not confirm it within 60 s (--timer).
So a wrong address, a cut connection or a killed controller does not lock you out.

Without --persist nothing outlives a reboot of the host. With it the files that do are installed once all is verified, also
on a host that is as planned already. In a lab that takes a host with guest: systemd; others have no files that last.
What is shown is what linerate config FABRIC.yaml --explain HOST explains line by line.`,
		Example: `  linerate apply examples/mesh-10g.yaml homelab --dry-run
  linerate apply fabric.yaml nas pc
  linerate apply examples/mesh-10g.yaml nas --in-lab ID   on the simulated host of a lab that is up`,
		Args: cli.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			o.File, o.Hosts = args[0], args[1:]
			if o.Timer < 5*time.Second || o.Timer > 10*time.Minute {
				return cli.Fail(cli.ExitInput, fmt.Errorf("--timer %v: a host waits 5s to 10m to be asked", o.Timer))
			}
			return settings.Apply(c.Context(), e, o)
		},
	}
	c.Flags().StringVar(&o.Variant, "variant", "", "merge a variant into the file; several with +")
	c.Flags().StringVar(&o.Lab, "in-lab", "", "apply to the hosts of the lab with this id, which is up, in place of the "+
		"file's own connections")
	c.Flags().StringVarP(&o.Folder, "output", "o", "", "folder for the undo on this side (default ./undo-FABRIC-TIME)")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what is not as planned and end")
	c.Flags().BoolVar(&o.Control, "allow-control-link", false,
		"also where the connection to the host comes in over what changes")
	c.Flags().DurationVar(&o.Timer, "timer", apply.Patience*time.Second,
		"how long a host waits to be asked before it takes everything back, 5s to 10m")
	c.Flags().BoolVar(&o.Persist, "persist", false, "also install the files that outlive a reboot, once all is verified")
	c.Flags().BoolVar(&o.AsJSON, "json", false, "print one JSON object")
	return c
}
