package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/report/format"
)

// Width is the largest number of columns of a summary, except for its line of data.
const Width = 78

const (
	program = "linerate"
	noLoad  = "none"
)

// Text returns the summary as plain text: ASCII, lines of at most Width columns, each ended. The result comes first;
// the last line is the line of data, which Parse reads.
func (c *Summary) Text() string { return c.words() + c.data() + "\n" }

// words returns the part for readers: the result, the bottleneck, the hosts, and what was measured.
func (c *Summary) words() string {
	var b strings.Builder
	line := func(s string) { b.WriteString(strings.TrimRight(s, " ") + "\n") }
	lines := func(s string) {
		for _, l := range wrap(s) {
			line(l)
		}
	}
	for _, s := range c.Result() {
		lines(plainText(s, 2*longText))
	}
	width := 0
	for _, e := range c.Ends {
		width = max(width, len(e.name()))
	}
	for _, e := range c.Ends {
		held := strings.Repeat("#", width+1) // the place of the name, which wrap keeps
		for _, l := range wrap(held + " " + e.text()) {
			line(strings.Replace(l, held, format.Pad(e.name(), width+1), 1))
		}
	}
	for _, t := range c.tables() {
		line("")
		for _, l := range t.lines() {
			line(l)
		}
	}
	if len(c.Notes) > 0 {
		line("")
	}
	for _, n := range c.Notes {
		lines("note: " + plainText(n, longText))
	}
	line("")
	line(c.origin())
	return b.String()
}

// origin returns the program, run and date of a summary.
func (c *Summary) origin() string {
	return fmt.Sprintf("%s %s, run %s, %s", program, cmp.Or(plainText(c.Program, 24), NotKnown),
		cmp.Or(plainText(c.Run, 12), NotKnown), cmp.Or(plainText(c.Date, 10), NotKnown))
}

// Result returns the sentences with which a summary begins: what was carried, the bottleneck, and the fix.
func (c *Summary) Result() []string {
	var out []string
	if s := c.carried(); s != "" {
		out = append(out, s)
	}
	if c.Lab != "" {
		out = append(out, "Lab "+c.Lab+": not real hardware.")
	}
	if c.Variant != "" {
		out = append(out, "Variant: "+c.Variant)
	}
	verdict := c.Verdict
	if c.Bottleneck != "" {
		verdict = "Bottleneck " + c.Bottleneck + "."
	}
	if verdict != "" {
		out = append(out, verdict)
	}
	if c.Fix != "" {
		out = append(out, "Fix: "+c.Fix)
	}
	return out
}

// carried returns the goodput of both directions with one stream, or with what was measured instead, and the link.
func (c *Summary) carried() string {
	if len(c.Ends) != 2 {
		return ""
	}
	a, b, with := c.Headline()
	var all, ceilings []string
	for i, r := range []*Row{a, b} {
		if r == nil {
			continue
		}
		all, ceilings = append(all, c.way(i)+" "+rates.print(r.Goodput)), append(ceilings, r.ceiling())
	}
	if len(all) == 0 {
		return ""
	}
	common := ""
	if one := slices.Compact(slices.Clone(ceilings)); len(one) > 1 {
		for i, s := range ceilings {
			all[i] += unit.If(s != "", " of "+s, "")
		}
	} else if one[0] != "" {
		common = ", ceiling " + one[0]
	}
	return strings.Join(all, ", ") + with + " (" + cmp.Or(c.Link, "link "+NotKnown) + common + ")"
}

// ceiling prints a row's ceiling; empty: it is not known.
func (r *Row) ceiling() string {
	if !known(r.Ceiling, rates.most) {
		return ""
	}
	return rates.print(r.Ceiling)
}

// Headline returns the rows of both directions that a summary begins with: TCP with 1 stream, or else with 8, or else
// RDMA. with says what it is, if it is not 1 stream. A row is nil if it was not measured.
func (c *Summary) Headline() (ab, ba *Row, with string) {
	for _, x := range [][3]string{{"tcp-1-ab", "tcp-1-ba", ""}, {"tcp-8-ab", "tcp-8-ba", " with 8 streams"},
		{"rdma-write-ab", "rdma-write-ba", " with RDMA write"}, {"rdma-read-ab", "rdma-read-ba", " with RDMA read"},
		{"rdma-send-ab", "rdma-send-ba", " with RDMA send"}} {
		ab, ba = c.measured(x[0]), c.measured(x[1])
		if ab != nil || ba != nil {
			return ab, ba, x[2]
		}
	}
	return nil, nil, ""
}

// measured returns a measured row; nil: it was not measured.
func (c *Summary) measured(key string) *Row {
	if r := c.Row(key); r != nil && r.Measured {
		return r
	}
	return nil
}

// way names a direction: 0 is from A to B.
func (c *Summary) way(i int) string {
	host := func(i int) string {
		if i < len(c.Ends) && c.Ends[i].Host != "" {
			return c.Ends[i].Host
		}
		return string(rune('A' + i))
	}
	return host(i) + " -> " + host(1-i)
}

func orNotKnown(s string) string { return cmp.Or(s, NotKnown) }

// name returns a host's name as a column has room for it.
func (e End) name() string { return shorten(plainText(cmp.Or(e.Host, NotKnown), longWord), 20) }

// text returns the machine and the NIC of a host.
func (e End) text() string {
	var out []string
	for _, s := range []string{e.System, e.CPU, e.NIC, e.Slot} {
		if s = plainText(s, longName); s != "" {
			out = append(out, s)
		}
	}
	return cmp.Or(strings.Join(out, ", "), NotKnown)
}
