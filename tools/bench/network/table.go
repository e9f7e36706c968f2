//go:build linux

package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/tools/bench/harness"
)

// ratio is the ratio of the first tool's median to that of tool t; 0: not known.
func (c *benchCase) ratio(t tool, of func(row) float64) float64 {
	other := harness.Median(c.rows[t.name], of)
	if other == 0 {
		return 0
	}
	return harness.Median(c.rows[c.tools[0].name], of) / other
}

// table is one case as Markdown.
func (c *benchCase) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n", c.title())
	iperfUDP := strings.HasPrefix(c.name, "UDP")
	if c.latency {
		b.WriteString("| tool | p50, us | p99, us | ratio of p50 | client + server + kernel, cores | foreign | required " +
			"|\n|--|--|--|--|--|--|--|\n")
	} else {
		b.WriteString(
			"| label | tool | Gb/s | ratio | Gb per processor second | ratio | client + server + kernel, cores | foreign | " +
				"required |\n|--|--|--|--|--|--|--|--|--|\n")
	}
	format := func(rows []row, of func(row) float64, scale float64) string {
		m, low, high := harness.Spread(rows, of)
		return fmt.Sprintf("%.1f [%.1f-%.1f]", m*scale, low*scale, high*scale)
	}
	judged := map[string]bool{}
	for _, t := range c.judged() {
		judged[t.name] = true
	}
	for i, t := range c.tools {
		rows := c.rows[t.name]
		if len(rows) == 0 {
			continue
		}
		ratio := func(of func(row) float64) string {
			if i == 0 || c.ratio(t, of) == 0 {
				return ""
			}
			return fmt.Sprintf("**%.2f**", c.ratio(t, of))
		}
		cores := fmt.Sprintf("%.2f + %.2f + %.2f", harness.Median(rows, func(r row) float64 { return r.Client }),
			harness.Median(rows, func(r row) float64 { return r.Server }),
			harness.Median(rows, func(r row) float64 { return r.SoftIRQ }))
		median, _, most := harness.Spread(rows, func(r row) float64 { return r.OtherProcesses })
		other := fmt.Sprintf("%.2f, at most %.2f", median, most)
		if _, _, most := harness.Spread(rows, func(r row) float64 { return r.Steal }); most > stealLimit {
			other += fmt.Sprintf("; the hypervisor took up to %.2f", most)
		}
		required := ""
		if judged[t.name] {
			required = c.required(t)
		}
		if iperfUDP {
			lost, low, high := harness.Spread(rows, func(r row) float64 { return r.Lost })
			other += fmt.Sprintf("; lost %.1f %% [%.1f-%.1f]", lost*100, low*100, high*100)
		}
		if c.latency {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", t.name, format(rows, p50Of, 1e6),
				format(rows, func(r row) float64 { return r.P99 }, 1e6), ratio(p50Of), cores, other, required)
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", c.label, t.name, format(rows, rateOf, 1e-9),
			ratio(rateOf), format(rows, perOf, 1e-9), ratio(perOf), cores, other, required)
	}
	for _, t := range c.tools {
		if notes := c.notes[t.name]; len(notes) > 0 {
			fmt.Fprintf(&b, "\n%s in effect: %s\n", t.name, strings.Join(notes, "; "))
		}
	}
	return b.String()
}

func (c *benchCase) title() string { return fmt.Sprintf("%s, MTU %d", c.name, c.mtu) }

// tables is the whole page: all tables and verdicts.
func tables(cases []*benchCase) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The network engine beside its peers\n\n%s\n%s", harness.Machine()+". veth, reno.", introduction)
	var first, last time.Time
	runs := map[int]bool{}
	for _, c := range cases {
		if len(c.rows) == 0 {
			continue
		}
		if first.IsZero() || c.at.Before(first) {
			first = c.at
		}
		if c.at.After(last) {
			last = c.at
		}
		for _, rows := range c.rows {
			runs[len(rows)] = true
		}
		b.WriteString(c.table())
	}
	verdicts, _ := check(cases)
	fmt.Fprintf(&b, "\n## What is required\n\n```\n%s```\n", verdicts)
	const form = "2006-01-02 15:04 UTC"
	fmt.Fprintf(&b, "\nMeasured from %s to %s, %s runs a tool, windows of %v.\n", first.UTC().Format(form),
		last.UTC().Format(form), strings.Join(counts(runs), " or "), interval)
	return b.String()
}

func counts(runs map[int]bool) []string {
	var out []string
	for _, n := range slices.Sorted(maps.Keys(runs)) {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

const introduction = `
Medians of alternating runs, lowest and highest beside them. Gb/s is the receiving interface's byte counter, headers
included, and over UDP the payload that was delivered; cores are processor time of client, server and the kernel's packet
threads (ksoftirqd), which take work over from either; Gb per processor second divides by their sum. Foreign is other
work on the machine in cores: where it is above 0.1 the row is disturbed, and below 10 % two values are a tie here. A run
of which the hypervisor took more than 0.05 cores was made again, up to three times; the row says so if that did not help. The
ratio is the first row's to that row: above 1 the first is ahead. In the rows of round trips a ratio below 1 is ahead.
Required is what the engine is to reach beside that row: met, a tie with it (within 10 %), or missed; of one tool at several
sizes the fastest counts. A veth hands over packets of up to 64 KiB unsegmented: these are figures about software, not about
a NIC.
`
