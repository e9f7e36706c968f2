package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"linerate/internal/report"
	"linerate/internal/report/summary"
)

// compareCards holds cards against each other: those of runs, and those in files. The first is what the others are compared with.
func (e *env) compareCards(refs []string, pair, page string, asJSON bool) error {
	if len(refs) < 2 {
		return fail(exitInput, errors.New("one card is compared with nothing; name a run or another file with a card"))
	}
	if n := slices.Index(refs, "-"); n >= 0 && slices.Contains(refs[n+1:], "-") {
		return fail(exitInput, errors.New("standard input (-) can be read once; give the other card as a file"))
	}
	set := report.ComparisonSet{Schema: "linerate/compare/1"}
	var sides []summary.Side
	var broken []string
	var found []summary.Problems
	for _, ref := range refs {
		all, problems, err := e.cardsOf(ref)
		if err != nil {
			e.wrong.add(err)
			continue
		}
		if len(problems) > 0 {
			broken, found = append(broken, ref), append(found, problems)
		}
		which := whichCard{pair: pair}
		if pair != "" && len(all) == 1 {
			which.pair = "" // it has no other
		}
		picked, err := which.of(ref, all)
		if err != nil {
			e.wrong.add(err)
			continue
		}
		c := picked.Cards[0]
		label := filepath.Base(nameOf(ref))
		if !isCardFile(ref) {
			label = "run " + c.Run
		}
		if slices.ContainsFunc(sides, func(s summary.Side) bool { return s.Label == label }) {
			label += fmt.Sprintf(" (%d)", len(sides)+1)
		}
		if n := len(picked.Cards) + len(picked.Others); n > 1 {
			set.Notes = append(set.Notes, fmt.Sprintf("%s has %d cards; that of %s is compared, --pair A,B takes another", label, n, c.Title()))
		}
		sides = append(sides, summary.Side{Label: clean(label), Card: c})
		set.Runs = append(set.Runs, clean(c.Run))
	}
	if err := e.wrong.err(); err != nil {
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
			if !slices.Contains(set.Notes, n) {
				set.Notes = append(set.Notes, n)
			}
		}
	}
	err := e.printCompared(nil, set, page, asJSON)
	for i, ref := range broken {
		err = errors.Join(err, e.unread(ref, found[i]))
	}
	return err
}
