//go:build linux

package main

import (
	"fmt"
	"strings"

	"linerate/tools/bench/harness"
)

// requirement is what the engine has to reach compared with a tool, as ratios of the engine's median to the tool's; 0:
// no requirement.
type requirement struct {
	rate, per float64 // at least
	p50       float64 // at most
}

// noise is the share below which two values on a shared machine are a tie.
const noise = 0.10

// judge compares a ratio with the limit of a requirement.
func judge(ratio, limit float64, smallerIsBetter bool) string {
	got, want := ratio, limit
	if smallerIsBetter {
		got, want = 1/ratio, 1/limit
	}
	switch {
	case ratio == 0:
		return "not known"
	case got >= want:
		return "met"
	case got >= want*(1-noise):
		return "tie"
	}
	return "missed"
}

// verdict is a requirement and whether the engine meets it.
type verdict struct{ what, outcome string }

// verdicts compares the rows of the first tool with those of tool t.
func (c *benchCase) verdicts(t tool) []verdict {
	var out []verdict
	add := func(what string, limit float64, smallerIsBetter bool, of func(row) float64) {
		if limit == 0 {
			return
		}
		sign := "at least"
		if smallerIsBetter {
			sign = "at most"
		}
		ratio := c.ratio(t, of)
		out = append(out, verdict{fmt.Sprintf("%s %s %.2f", what, sign, limit),
			fmt.Sprintf("%.2f %s", ratio, judge(ratio, limit, smallerIsBetter))})
	}
	add("Gb/s", t.requirement.rate, false, rateOf)
	add("Gb per processor second", t.requirement.per, false, perOf)
	add("p50", t.requirement.p50, true, p50Of)
	return out
}

// required is the verdicts of a tool, for the table.
func (c *benchCase) required(t tool) string {
	var words []string
	for _, v := range c.verdicts(t) {
		words = append(words, v.what+": "+v.outcome)
	}
	return strings.Join(words, "; ")
}

// check is the verdicts of all cases, one a line, and whether one of them is missed.
func check(cases []*benchCase) (text string, missed bool) {
	var b strings.Builder
	for _, c := range cases {
		for _, t := range c.judged() {
			for _, v := range c.verdicts(t) {
				word := v.outcome[strings.LastIndex(v.outcome, " ")+1:]
				fmt.Fprintf(&b, "%-6s  %s, against %s: %s: %s\n", word, c.title(), t.name, v.what, v.outcome)
				missed = missed || word == "missed"
			}
		}
	}
	return b.String(), missed
}

// judged is the tools that the first tool is compared with. Of a tool with several settings it has the fastest.
func (c *benchCase) judged() []tool {
	var out []tool
	best := -1
	for _, t := range c.tools[1:] {
		if len(c.rows[t.name]) == 0 || len(c.rows[c.tools[0].name]) == 0 {
			continue
		}
		if !t.oneOf {
			out = append(out, t)
			continue
		}
		if best < 0 {
			best = len(out)
			out = append(out, t)
			continue
		}
		if harness.Median(c.rows[t.name], rateOf) > harness.Median(c.rows[out[best].name], rateOf) {
			out[best] = t
		}
	}
	return out
}
