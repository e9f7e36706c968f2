//go:build linux

package main

import (
	"fmt"
	"strings"
)

// need is what a tool's row asks of the engine, as ratios of the engine's median to the tool's. 0: nothing is asked.
type need struct {
	rate, per float64 // at least
	p50       float64 // at most
}

// noise is the share below which two values on a shared machine are a tie.
const noise = 0.10

// judge says whether a ratio is as it should be; below tells that smaller is better.
func judge(ratio, asked float64, below bool) string {
	got, want := ratio, asked
	if below {
		got, want = 1/ratio, 1/asked
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

// verdict is one requirement and how it was met.
type verdict struct{ what, word string }

// verdicts holds the first tool's rows against those of tool t.
func (c *benchCase) verdicts(t tool) []verdict {
	var out []verdict
	add := func(what string, asked float64, below bool, of func(row) float64) {
		if asked == 0 {
			return
		}
		sign := "at least"
		if below {
			sign = "at most"
		}
		ratio := c.ratio(t, of)
		out = append(out, verdict{fmt.Sprintf("%s %s %.2f", what, sign, asked), fmt.Sprintf("%.2f %s", ratio, judge(ratio, asked, below))})
	}
	add("Gb/s", t.need.rate, false, rateOf)
	add("Gb per processor second", t.need.per, false, perOf)
	add("p50", t.need.p50, true, p50Of)
	return out
}

// required is the same as one cell of the table.
func (c *benchCase) required(t tool) string {
	var words []string
	for _, v := range c.verdicts(t) {
		words = append(words, v.what+": "+v.word)
	}
	return strings.Join(words, "; ")
}

// check is all requirements of all cases, one a line, and whether one was missed.
func check(cases []*benchCase) (text string, missed bool) {
	var b strings.Builder
	for _, c := range cases {
		for _, t := range c.judged() {
			for _, v := range c.verdicts(t) {
				fmt.Fprintf(&b, "%-6s  %s, against %s: %s: %s\n", v.word[strings.LastIndex(v.word, " ")+1:], c.title(), t.name, v.what, v.word)
				missed = missed || strings.HasSuffix(v.word, "missed")
			}
		}
	}
	return b.String(), missed
}

// judged is the tools that the first one is held against: of those that are one tool at several settings, the fastest.
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
		a, _, _ := spread(c.rows[out[best].name], rateOf)
		if x, _, _ := spread(c.rows[t.name], rateOf); x > a {
			out[best] = t
		}
	}
	return out
}
