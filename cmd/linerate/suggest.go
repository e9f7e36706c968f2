package main

import (
	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/planning"
)

func suggestCommand(e *cli.Env) *cobra.Command {
	var requirements planning.SuggestFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "suggest --hosts N --speed RATE --distance LENGTH",
		Short: "Suggest NICs, cables and switches for new networks",
		Long: `linerate makes designs from the catalogue of parts: direct cables and switches, copper and optics, new and used.
Each design is planned and checked as a fabric file is. -o writes one of them as such a file.`,
		Example: `  linerate suggest --hosts 3 --speed 10G --distance 8m --os freebsd,windows
  linerate suggest --hosts 3 --speed 100G --distance 3m --rdma rocev2 --design 2 -o new.yaml`,
		Args:        cli.MaximumNArgs(0),
		Annotations: map[string]string{cli.ChecksItself: "yes"},
		RunE: func(*cobra.Command, []string) error {
			return planning.Suggest(e, &requirements, asJSON)
		},
	}
	requirements.Define(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
