package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
)

func (e *env) labReboot() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "reboot [ID/]HOST", Short: "Reboot a guest with an operating system, and wait until it is back", Args: cobra.ExactArgs(1),
		Long: `Starts a host with guest: systemd anew and returns when its network is up again, or
shows the last lines of its console. What was written to its disk is there, until
lab down. With a file in /etc/systemd/network, /etc/netplan,
/etc/NetworkManager/system-connections or /etc/network/interfaces.d the network is what
the files make of it; without any the lab sets the plan's addresses.`,
		Example: `  linerate lab exec nas -- sh -c 'cat > /etc/systemd/network/10-card.network' < 10-card.network
  linerate lab reboot nas`,
		RunE: func(c *cobra.Command, args []string) error {
			spec, err := connect.Parse("lab " + args[0])
			if err != nil {
				return fail(exitInput, err)
			}
			out, err := lab.Reboot(c.Context(), spec.Lab, spec.Name)
			if errors.Is(err, lab.ErrNoReboot) {
				return fail(exitInput, err)
			}
			if err != nil {
				return notThere(err)
			}
			if asJSON {
				return e.object("lab-reboot", out)
			}
			how := "its network is the plan's, set by the lab: it has no files of configuration"
			if len(out.Files) > 0 {
				how = "its network is that of " + strings.Join(out.Files, ", ")
			}
			fmt.Fprintf(e.out, "%s: back after %s; %s\n", clean(out.Host), unit.Seconds(out.Seconds), clean(how))
			for _, n := range out.Notes {
				fmt.Fprintf(e.out, "  %s\n", clean(n))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
