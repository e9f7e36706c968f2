package main

import (
	"fmt"
	"math"
	"strings"

	"linerate/internal/base/stat"
)

// tables is how often 1,000 comparisons drawn from the recording are right, as Markdown.
func (r recording) tables() (string, error) {
	var b strings.Builder
	last := r[len(r)-1][len(sides)-1].Begin
	fmt.Fprintf(&b, "\n## Out of %d recorded runs a side\n\n%s\n\n", len(r), r.describe())
	fmt.Fprintf(&b,
		"%d comparisons each, of rounds that are drawn at random; the two of a pair are of one round. Promised: of equal "+
			"sides fewer than 8 %% claim a difference, and of sides that differ by 5 %% at least 90 %% find it.\n\n",
		drawnComparisons)
	b.WriteString(
		"| repeats a side | equal sides, processor time: claimed | equal sides, goodput: claimed | 5 % more processor " +
			"time: found | side C: found | could see, median |\n|--|--|--|--|--|--|\n")
	for _, n := range pairNumbers {
		row := []any{n}
		for _, x := range []struct {
			side   byte
			factor float64
			of     figure
		}{{'b', 1, cost}, {'b', 1, goodput}, {'b', 1.05, cost}, {'c', 1, cost}} {
			k, err := r.found(n, x.side, x.factor, x.of)
			if err != nil {
				return "", err
			}
			row = append(row, float64(k)/drawnComparisons*100)
		}
		resolution, err := r.resolution(n)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %d | %.1f %% | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", append(row, resolution*100)...)
	}
	fmt.Fprintf(&b, "\nWith %d repeats a side both hold. The recording took %v.\n", enoughPairs, last.Round(1e9))
	return b.String(), nil
}

// describe is the CPU time of the sides of the recording, and how often other processes disturbed them.
func (r recording) describe() string {
	var parts []string
	base := 0.0
	for i := range sides {
		v := r.side(sides[i], cost)
		m, _ := stat.Median(v)
		low, _ := stat.Quantile(v, 0.1)
		high, _ := stat.Quantile(v, 0.9)
		if i == 0 {
			base = m
		}
		parts = append(parts, fmt.Sprintf("%s %.2f ms a gigabit (of ten runs eight %.2f to %.2f, median %+.1f %%)",
			strings.ToUpper(sides[i:i+1]), m*1e3, low*1e3, high*1e3, (m/base-1)*100))
	}
	busy := 0
	for i := range r {
		for _, v := range r[i] {
			if v.OtherProcesses > 0.2 {
				busy++
			}
		}
	}
	return "Processor time: " + strings.Join(parts,
		"; ") + fmt.Sprintf(". In %.0f %% of the runs other work took more than 0.2 cores.",
		100*float64(busy)/math.Max(1, float64(len(r)*len(sides))))
}

// resolution is the median of the differences that comparisons of equal sides claim to be able to find.
func (r recording) resolution(pairs int) (float64, error) {
	var all []float64
	for at := 0; at+pairs <= len(r); at += pairs {
		c, err := stat.Paired(r[at:at+pairs].side('a', cost), r[at:at+pairs].side('b', cost))
		if err != nil {
			return 0, err
		}
		all = append(all, c.Resolution())
	}
	return stat.Median(all)
}
