package results

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/report/compare"
	"linerate/internal/report/summary"
)

// CompareSummaries compares summaries with each other: those of runs, and those in files. The others are compared with
// the first.
func CompareSummaries(e *cli.Env, refs []string, pair, page string, asJSON bool) error {
	if len(refs) < 2 {
		return cli.Fail(cli.ExitInput,
			cli.Advise(errors.New("one summary is compared with nothing"),
				"name a run or another file with a summary"))
	}
	if n := slices.Index(refs, "-"); n >= 0 && slices.Contains(refs[n+1:], "-") {
		return cli.Fail(cli.ExitInput, cli.Advise(errors.New("standard input (-) can be read once"),
			"give the other summary as a file"))
	}
	set := compare.ComparisonSet{Schema: "linerate/compare/1"}
	var sides []summary.Side
	var broken []string
	var found []summary.Problems
	for _, ref := range refs {
		all, problems, err := readSummaries(e, ref)
		if err != nil {
			e.Errors.Add(err)
			continue
		}
		if len(problems) > 0 {
			broken, found = append(broken, ref), append(found, problems)
		}
		which := Choice{Pair: pair}
		if pair != "" && len(all) == 1 {
			which.Pair = "" // it has no other
		}
		picked, err := which.of(ref, all)
		if err != nil {
			e.Errors.Add(err)
			continue
		}
		c := picked.Summaries[0]
		label := filepath.Base(nameOf(ref))
		if !IsSummaryFile(ref) {
			label = "run " + c.Run
		}
		if slices.ContainsFunc(sides, func(s summary.Side) bool { return s.Label == label }) {
			label += fmt.Sprintf(" (%d)", len(sides)+1)
		}
		if n := len(picked.Summaries) + len(picked.Others); n > 1 {
			set.Notes = append(set.Notes,
				fmt.Sprintf("%s has %d summaries; that of %s is compared, --pair A,B takes another", label, n, c.Title()))
		}
		sides = append(sides, summary.Side{Label: cli.Clean(label), Summary: c})
		set.Runs = append(set.Runs, cli.Clean(c.Run))
	}
	if err := e.Errors.Err(); err != nil {
		return err
	}
	for _, other := range sides[1:] {
		c := summary.Compare(sides[0], other)
		if len(sides) > 2 {
			for i := range c.Facts {
				c.Facts[i] = other.Label + ": " + c.Facts[i]
			}
		}
		set.Facts, set.Comparisons = append(set.Facts, c.Facts...), append(set.Comparisons, c.Comparisons...)
		for _, n := range c.Notes {
			set.Notes = xslices.AppendNew(set.Notes, n)
		}
	}
	err := printCompared(e, nil, set, page, asJSON)
	for i, ref := range broken {
		err = errors.Join(err, reportUnread(e, ref, found[i]))
	}
	return err
}
