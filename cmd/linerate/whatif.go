package main

import (
	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/results"
)

func whatIfCommand(e *cli.Env) *cobra.Command {
	var f results.WhatIfFlags
	c := &cobra.Command{
		Use:   "whatif RUN",
		Short: "Predict a run with another MTU, slot, link or drive",
		Long: `Of every experiment of a finished run: what it would reach with the change, and the next ceilings, lowest first. Its path is planned
again with the change; what the run measured of CPUs and windows is reckoned on; what holds it back today either goes or stays.
Each ceiling has its formula, and reports whether it is computed, measured or rests on something assumed. Nothing is measured or written.

` + results.RunWords,
		Example: `  linerate whatif latest --mtu 9000
  linerate whatif latest --mtu 9000 --streams 8 --experiment threads
  linerate whatif latest --slot pcie3x8
  linerate whatif latest --slot nas.cx3=pcie2x4,desk.cx3=pcie3x8
  linerate whatif latest --link 100G
  linerate whatif latest --window 4MiB --rtt 10ms
  linerate whatif latest --drive 3GB/s`,
		Args:        cli.ExactArgs(1),
		Annotations: map[string]string{cli.ChecksItself: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Given = map[string]bool{}
			for _, name := range cli.GivenFlags(cmd.Flags()) {
				f.Given[name] = true
			}
			return results.WhatIf(e, args, &f)
		},
	}
	f.Define(c.Flags())
	return c
}
