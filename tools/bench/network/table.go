//go:build linux

package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"linerate/tools/bench/wire"
)

// spread is the median of one figure over runs, with the lowest and the highest.
func spread(rows []row, of func(row) float64) (median, low, high float64) {
	var v []float64
	for _, r := range rows {
		v = append(v, of(r))
	}
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2, v[0], v[n-1]
}

// ratio is the first tool's median to that of tool t; 0: not known.
func (c *benchCase) ratio(t tool, of func(row) float64) float64 {
	first, rows := c.rows[c.tools[0].name], c.rows[t.name]
	if len(first) == 0 || len(rows) == 0 {
		return 0
	}
	a, _, _ := spread(first, of)
	x, _, _ := spread(rows, of)
	if x == 0 {
		return 0
	}
	return a / x
}

// table is one case as Markdown.
func (c *benchCase) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n", c.title())
	datagrams := strings.HasPrefix(c.name, "UDP")
	if c.trips {
		b.WriteString("| tool | p50, us | p99, us | ratio of p50 | client + server + kernel, cores | foreign | required |\n|--|--|--|--|--|--|--|\n")
	} else {
		b.WriteString("| label | tool | Gb/s | ratio | Gb per processor second | ratio | client + server + kernel, cores | foreign | required |\n|--|--|--|--|--|--|--|--|--|\n")
	}
	cell := func(rows []row, of func(row) float64, scale float64) string {
		m, low, high := spread(rows, of)
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
		client, _, _ := spread(rows, func(r row) float64 { return r.Client })
		server, _, _ := spread(rows, func(r row) float64 { return r.Server })
		kernel, _, _ := spread(rows, func(r row) float64 { return r.SoftIRQ })
		foreign, _, most := spread(rows, func(r row) float64 { return r.Foreign })
		cores := fmt.Sprintf("%.2f + %.2f + %.2f", client, server, kernel)
		other := fmt.Sprintf("%.2f, at most %.2f", foreign, most)
		if _, _, most := spread(rows, func(r row) float64 { return r.Stolen }); most > stealLimit {
			other += fmt.Sprintf("; the hypervisor took up to %.2f", most)
		}
		required := ""
		if judged[t.name] {
			required = c.required(t)
		}
		if datagrams {
			lost, low, high := spread(rows, func(r row) float64 { return r.Lost })
			other += fmt.Sprintf("; lost %.1f %% [%.1f-%.1f]", lost*100, low*100, high*100)
		}
		if c.trips {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", t.name, cell(rows, p50Of, 1e6), cell(rows, func(r row) float64 { return r.P99 }, 1e6), ratio(p50Of), cores, other, required)
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", c.label, t.name, cell(rows, rateOf, 1e-9), ratio(rateOf), cell(rows, perOf, 1e-9), ratio(perOf), cores, other, required)
	}
	for _, t := range c.tools {
		if notes := c.notes[t.name]; len(notes) > 0 {
			fmt.Fprintf(&b, "\n%s in effect: %s\n", t.name, strings.Join(notes, "; "))
		}
	}
	return b.String()
}

func (c *benchCase) title() string { return fmt.Sprintf("%s, MTU %d", c.name, c.mtu) }

// tables is the file: what was measured, and what it meets.
func tables(cases []*benchCase) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The network engine beside its peers\n\n%s\n%s", wire.Machine()+". veth, reno.", reading)
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
	fmt.Fprintf(&b, "\nMeasured from %s to %s, %s runs a tool, windows of %v.\n", first.UTC().Format(form), last.UTC().Format(form),
		strings.Join(counts(runs), " or "), measured)
	return b.String()
}

func counts(runs map[int]bool) []string {
	var out []string
	for _, n := range slices.Sorted(maps.Keys(runs)) {
		out = append(out, strconv.Itoa(n))
	}
	return out
}

const reading = `
Medians of alternating runs, lowest and highest beside them. Gb/s is the receiving interface's byte counter, headers
included, and over UDP the payload that was delivered; cores are processor time of client, server and the kernel's packet
threads (ksoftirqd), which take work over from either; Gb per processor second divides by their sum. Foreign is other
work on the machine in cores: where it is above 0.1 the row is disturbed, and below 10 % two values are a tie here. A run
of which the hypervisor took more than 0.05 cores was made again, up to three times; the row says so if that did not help. The
ratio is the first row's to that row: above 1 the first is ahead. In the rows of round trips a ratio below 1 is ahead.
Required is what the engine is to reach beside that row: met, a tie with it (within 10 %), or missed; of one tool at several
sizes the fastest counts. A veth hands over packets of up to 64 KiB unsegmented: these are figures about software, not about
a network card.
`
