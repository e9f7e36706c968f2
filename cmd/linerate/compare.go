package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"linerate/report"
	"linerate/result"
)

func (e *env) compareCommand() *cobra.Command {
	var by, pair string
	var asJSON, list bool
	c := &cobra.Command{
		Use:   "compare RUN|CARD|baseline:NAME [RUN|CARD|baseline:NAME...]",
		Short: "The same experiments of several runs side by side, as ratios with their intervals",
		Long: `Compares every experiment of each further run with the same one of the first; with
--by, inside one run, those that differ in one axis alone with the first value of it.
` + runWords + `

A ratio whose 95 % interval has 1 in it shows no difference. The interval is exact for few
repeats (Wilcoxon's signed rank test when the repeats alternated, else the
Mann-Whitney test); it knows nothing of a machine that changed between two runs.

CARD is a file with a card that linerate show printed, in whatever it was pasted into, or - for
standard input: then the cards of all are compared, what differs of the machines first, and
ratios have no interval, because a card has one figure a row.

baseline:NAME is the published figures of a document, each with its source: the run is held against those that
are of the same thing, with the conditions that differ. --baselines lists them.`,
		Example: `  linerate compare kxzp latest
  linerate compare theirs.html latest
  linerate compare latest --by variant
  linerate compare latest --by streams
  linerate compare forum.txt latest
  linerate compare - kxzp --pair nas,pc
  linerate compare latest baseline:nas-40g
  linerate compare --baselines`,
		ValidArgsFunction: completeBaselines,
		RunE: func(_ *cobra.Command, args []string) error {
			if list {
				return e.listBaselines(args, asJSON)
			}
			if len(args) == 0 {
				return fail(exitInput, errors.New("no run is named; write a run folder, its four letters, or latest; --baselines lists what a run can be held against"))
			}
			if slices.ContainsFunc(args, isBaseline) {
				return e.compareBaselines(args, by, pair, asJSON)
			}
			if slices.ContainsFunc(args, isCardFile) {
				if by != "" {
					return fail(exitInput, fmt.Errorf("--by %s compares inside one run, and a card has no axes; leave it out", clean(by)))
				}
				return e.compareCards(args, pair, asJSON)
			}
			if pair != "" {
				return fail(exitInput, fmt.Errorf("--pair %s chooses a card, and no file with a card is given; leave it out", clean(pair)))
			}
			return e.compare(args, by, asJSON)
		},
	}
	c.Flags().StringVar(&by, "by", "", "inside one run: variant, nic, direction, or a key of the experiments")
	c.Flags().StringVar(&pair, "pair", "", "with a card: the hosts A,B whose card is taken of what has several")
	c.Flags().BoolVar(&list, "baselines", false, "list the documents that a run can be held against")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func (e *env) compare(refs []string, by string, asJSON bool) error {
	var runs []*result.Run
	for _, ref := range refs {
		o, err := e.figures(ref)
		if err != nil {
			return err
		}
		runs = append(runs, o.Run)
	}
	list, err := comparisons(runs, by)
	if err != nil {
		return fail(exitInput, err)
	}
	set := report.NewComparisonSet(runs, list)
	if asJSON {
		return report.CompareJSON(e.out, set)
	}
	return e.terminal().Compare(set)
}

func comparisons(runs []*result.Run, by string) ([]result.Comparison, error) {
	switch {
	case by != "" && len(runs) > 1:
		return nil, fmt.Errorf("--by %s compares inside one run, and %d are given", by, len(runs))
	case by == "variant" && len(runs[0].Variants) > 0:
		return report.Variants(runs[0]), nil
	case by != "":
		return report.CompareBy(runs[0], by)
	case len(runs) > 1:
		return report.CompareRuns(runs), nil
	case len(runs[0].Variants) > 0:
		return report.Variants(runs[0]), nil
	}
	return nil, errors.New("one run of one variant: name a second run, or an axis with --by")
}
