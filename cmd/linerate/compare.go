package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/cli/results"
)

func compareCommand(e *cli.Env) *cobra.Command {
	var by, pair, page string
	var asJSON, list bool
	c := &cobra.Command{
		Use:   "compare RUN|SUMMARY|baseline:NAME [RUN|SUMMARY|baseline:NAME...]",
		Short: "Compare runs, summaries and published figures",
		Long: `Compares every experiment of each further run with the same one of the first. With
--by it compares inside one run: experiments that differ in one parameter alone, with
its first value.
` + results.RunWords + `

A ratio whose 95 % interval has 1 in it shows no difference. The interval is exact for few
repeats (Wilcoxon's signed rank test when the repeats alternated, else the
Mann-Whitney test); it knows nothing of a machine that changed between two runs.

SUMMARY is a file with a summary that linerate share printed, or a text that it was
pasted into, or - for standard input. Then the summaries of all are compared. What
differs between the machines comes first. Ratios have no interval, because a summary
has one figure a row.

baseline:NAME is the published figures of a document, each with its source: the run
is compared with those of the same thing, and the conditions that differ are listed.
--baselines lists them.`,
		Example: `  linerate compare kxzp latest
  linerate compare theirs.html latest
  linerate compare latest --by variant
  linerate compare latest --by streams
  linerate compare forum.txt latest
  linerate compare - kxzp --pair nas,pc
  linerate compare kxzp latest -o compare.html
  linerate compare latest baseline:nas-40g
  linerate compare --baselines`,
		ValidArgsFunction: results.CompletePublished,
		RunE: func(_ *cobra.Command, args []string) error {
			if list {
				return results.ListPublished(e, args, asJSON)
			}
			if len(args) == 0 {
				return cli.Fail(cli.ExitInput, cli.Advise(errors.New("missing RUN"),
					"write a run folder, its four letters, or latest").Note("--baselines lists what a run can be compared with"))
			}
			if err := results.Figures(e, args); err != nil {
				return err
			}
			if slices.ContainsFunc(args, results.IsPublished) {
				return results.ComparePublished(e, args, by, pair, page, asJSON)
			}
			if slices.ContainsFunc(args, results.IsSummaryFile) {
				if by != "" {
					return cli.Fail(cli.ExitInput, cli.Advise(
						fmt.Errorf("--by %s compares inside one run, and a summary has no parameters", cli.Clean(by)),
						"omit it"))
				}
				return results.CompareSummaries(e, args, pair, page, asJSON)
			}
			if pair != "" {
				return cli.Fail(cli.ExitInput, cli.Advise(
					fmt.Errorf("--pair %s chooses a summary, and no file with a summary is given", cli.Clean(pair)),
					"omit it"))
			}
			return results.Compare(e, args, by, page, asJSON)
		},
	}
	c.Flags().StringVar(&by, "by", "", "inside one run: variant, nic, direction, or a key of the experiments")
	c.Flags().StringVar(&pair, "pair", "", "with a summary: the hosts A,B whose summary is taken of what has several")
	c.Flags().StringVarP(&page, "output", "o", "",
		"also write a page: charts side by side, ratios with intervals, tables (FILE.html)")
	c.Flags().BoolVar(&list, "baselines", false, "list the documents that a run can be compared with")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}
