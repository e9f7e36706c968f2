package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
)

func (e *env) compareCommand() *cobra.Command {
	var by, pair, page string
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

CARD is a file with a card that linerate show printed, in whatever it was pasted
into, or - for standard input: then the cards of all are compared, what differs of
the machines first, and ratios have no interval: a card has one figure a row.

baseline:NAME is the published figures of a document, each with its source: the run
is held against those that are of the same thing, with the conditions that differ.
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
		ValidArgsFunction: completeBaselines,
		RunE: func(_ *cobra.Command, args []string) error {
			if list {
				return e.listBaselines(args, asJSON)
			}
			if len(args) == 0 {
				return fail(exitInput, errors.New("no run is named; write a run folder, its four letters, or latest; --baselines lists what a run can be held against"))
			}
			if slices.ContainsFunc(args, isBaseline) {
				return e.compareBaselines(args, by, pair, page, asJSON)
			}
			if slices.ContainsFunc(args, isCardFile) {
				if by != "" {
					return fail(exitInput, fmt.Errorf("--by %s compares inside one run, and a card has no axes; leave it out", clean(by)))
				}
				return e.compareCards(args, pair, page, asJSON)
			}
			if pair != "" {
				return fail(exitInput, fmt.Errorf("--pair %s chooses a card, and no file with a card is given; leave it out", clean(pair)))
			}
			return e.compare(args, by, page, asJSON)
		},
	}
	c.Flags().StringVar(&by, "by", "", "inside one run: variant, nic, direction, or a key of the experiments")
	c.Flags().StringVar(&pair, "pair", "", "with a card: the hosts A,B whose card is taken of what has several")
	c.Flags().StringVarP(&page, "output", "o", "", "also write a page: charts side by side, ratios with intervals, tables (FILE.html)")
	c.Flags().BoolVar(&list, "baselines", false, "list the documents that a run can be held against")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func (e *env) compare(refs []string, by, page string, asJSON bool) error {
	runs, err := e.allFigures(refs)
	if err != nil {
		return err
	}
	list, err := comparisons(runs, by)
	if err != nil {
		return fail(exitInput, err)
	}
	set := report.NewComparisonSet(runs, list)
	return e.printCompared(runs, set, page, asJSON)
}

// printCompared prints comparisons, and writes their page where one is asked for. Runs is empty of cards.
func (e *env) printCompared(runs []*record.Run, set report.ComparisonSet, page string, asJSON bool) error {
	if page != "" {
		if err := e.comparePage(runs, set, page); err != nil {
			return err
		}
	}
	if asJSON {
		return report.CompareJSON(e.out, set)
	}
	if err := e.terminal().Compare(set); err != nil || page == "" {
		return err
	}
	_, err := fmt.Fprintf(e.out, "\npage  %s\n", clean(page))
	return err
}

// comparePage writes the page of a comparison. A file that is none of linerate's is left alone.
func (e *env) comparePage(runs []*record.Run, set report.ComparisonSet, page string) error {
	switch info, err := os.Stat(page); {
	case err == nil && info.IsDir():
		return fail(exitInput, fmt.Errorf("-o %s: it is a folder; write the name of a file, as in -o %s", clean(page), clean(filepath.Join(page, "compare.html"))))
	case err == nil:
		old, err := os.ReadFile(page)
		if err != nil || !bytes.Contains(old[:min(len(old), 4096)], []byte(`<meta name="generator" content="linerate `)) {
			return fail(exitRefused, fmt.Errorf("-o %s: the file is there, and linerate did not write it; give another name, or remove it", clean(page)))
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fail(exitInput, fmt.Errorf("-o %s: %w", clean(page), err))
	}
	if err := runfolder.WriteFile(page, func(w io.Writer) error { return report.CompareHTML(w, runs, set) }); err != nil {
		return fail(exitInput, fmt.Errorf("-o %s: %w", clean(page), err))
	}
	return nil
}

func comparisons(runs []*record.Run, by string) ([]record.Comparison, error) {
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

// allFigures reads several runs side by side: a very large one takes a second.
func (e *env) allFigures(refs []string) ([]*record.Run, error) {
	opened, errs := make([]*runfolder.Opened, len(refs)), make([]error, len(refs))
	sparingly()
	var all sync.WaitGroup
	for i, ref := range refs {
		all.Go(func() { opened[i], errs[i] = runfolder.OpenBrief(ref, "runs") })
	}
	all.Wait()
	var runs []*record.Run
	for i, o := range opened {
		if errs[i] != nil {
			return nil, inputOr(errs[i])
		}
		e.notes(o)
		runs = append(runs, o.Run)
	}
	return runs, nil
}
