package main

import (
	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/settings"
	"linerate/internal/device/render"
)

func configCommand(e *cli.Env) *cobra.Command {
	var variant, dir, explain string
	var asJSON bool
	c := &cobra.Command{
		Use:   "config FABRIC.yaml",
		Short: "Write configuration, check and undo scripts for each device",
		Long: `Writes one folder a device: apply, verify, undo, the files that outlive a reboot, and a README with the order and with
what is interrupted. A README of the whole goes from the labels to the test of each link. Four or more equal hosts share
one README, with a table of their names and addresses. Nothing is changed on any device. Without -o the files are listed and not written.

What a device cannot do is in the plan's problems; with one of severity error nothing is written (exit code 3).
A device without documented commands is left out and named (exit code 4).`,
		Example: `  linerate config examples/mesh-10g.yaml -o mesh-config
  linerate config examples/roce-100g.yaml --explain crs504
  linerate config examples/nas-40g.yaml --json`,
		Args:        cli.ExactArgs(1),
		Annotations: map[string]string{cli.FindsFabric: "yes"},
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := e.Load(args[0], variant)
			if err != nil {
				return err
			}
			if err := settings.PrintProblems(e, p); err != nil {
				return err
			}
			s := render.Render(p)
			switch {
			case asJSON:
				err = s.JSON(e.Out)
			case explain != "":
				return settings.Explain(e, s, explain)
			default:
				err = settings.Write(e, s, dir)
			}
			if err == nil && len(s.Refused) > 0 {
				return cli.Fail(cli.ExitIncomplete, nil)
			}
			return err
		},
	}
	c.Flags().StringVar(&variant, "variant", "", "merge a variant into the file; several with +")
	c.Flags().StringVarP(&dir, "output", "o", "",
		"folder that the devices' folders are written into; one that linerate wrote is replaced")
	c.Flags().StringVar(&explain, "explain", "",
		"say line by line why it is there and where its form is documented, of this host or switch")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object with every line, its reason and source")
	c.MarkFlagsMutuallyExclusive("json", "explain", "output")
	return c
}
