package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/results"
	"linerate/internal/report"
)

func reportCommand(e *cli.Env) *cobra.Command {
	var asJSON bool
	var junit string
	var views report.Views
	c := &cobra.Command{
		Use:   "report RUN",
		Short: "Print the report of a run",
		Long:  results.RunWords,
		Example: `  linerate report latest
  linerate report latest --notes                       all warnings and limits
  linerate report latest --evidence                    counters of verdicts, formulas of ceilings
  linerate report runs/2026-11-23T2210-home-k7qd --json
  linerate report k7qd --junit goals.xml`,
		Args: cli.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := cli.CheckJUnitFile(junit); err != nil {
				return cli.Fail(cli.ExitInput, err)
			}
			open := results.OpenFigures
			if asJSON {
				open = results.Open // the JSON has the complete record
			}
			o, err := open(e, args[0])
			if err != nil {
				return err
			}
			if o.LeftOut != "" {
				fmt.Fprintln(e.Err, cli.Clean(fmt.Sprintf("%s is a very large run: this is without %s; manifest.json and "+
					"samples.parquet have them", o.Dir, o.LeftOut)))
			}
			if !o.Complete {
				// An interrupted run has no verdicts yet.
				if err := results.Explained(o); err != nil {
					return err
				}
			}
			if junit != "" {
				if err := cli.WriteJUnitGoals(junit, o.Run); err != nil {
					return err
				}
			}
			return results.Print(e, o, views, asJSON)
		},
	}
	c.Flags().StringVar(&junit, "junit", "", cli.JunitUsage)
	cli.ViewFlags(c.Flags(), &views)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
