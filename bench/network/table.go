//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"
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

// table is one case as Markdown.
func (c *benchCase) table(mtu int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s, MTU %d\n\n", c.name, mtu)
	if c.trips {
		b.WriteString("| tool | p50, us | p99, us | ratio of p50 | client + server, cores | foreign |\n|--|--|--|--|--|--|\n")
	} else {
		b.WriteString("| label | tool | Gb/s | ratio | Gb per processor second | ratio | client + server, cores | foreign |\n|--|--|--|--|--|--|--|--|\n")
	}
	first := c.rows[c.tools[0].name]
	ratio := func(rows []row, of func(row) float64) string {
		a, _, _ := spread(first, of)
		x, _, _ := spread(rows, of)
		if len(c.tools) == 1 || x == 0 || &rows[0] == &first[0] {
			return ""
		}
		return fmt.Sprintf("**%.2f**", a/x)
	}
	cell := func(rows []row, of func(row) float64, scale float64) string {
		m, low, high := spread(rows, of)
		return fmt.Sprintf("%.1f [%.1f-%.1f]", m*scale, low*scale, high*scale)
	}
	rate := func(r row) float64 { return r.rate }
	per := func(r row) float64 { return r.perProcessorSec }
	p50 := func(r row) float64 { return r.p50 }
	for _, t := range c.tools {
		rows := c.rows[t.name]
		client, _, _ := spread(rows, func(r row) float64 { return r.client })
		server, _, _ := spread(rows, func(r row) float64 { return r.server })
		foreign, _, most := spread(rows, func(r row) float64 { return r.foreign })
		cores := fmt.Sprintf("%.2f + %.2f", client, server)
		other := fmt.Sprintf("%.2f, at most %.2f", foreign, most)
		if c.trips {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", t.name, cell(rows, p50, 1e6), cell(rows, func(r row) float64 { return r.p99 }, 1e6), ratio(rows, p50), cores, other)
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", c.label, t.name, cell(rows, rate, 1e-9), ratio(rows, rate), cell(rows, per, 1e-9), ratio(rows, per), cores, other)
	}
	for _, t := range c.tools {
		if notes := c.notes[t.name]; len(notes) > 0 {
			fmt.Fprintf(&b, "\n%s in effect: %s\n", t.name, strings.Join(notes, "; "))
		}
	}
	return b.String()
}
