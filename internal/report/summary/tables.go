package summary

import (
	"cmp"
	"strconv"
	"strings"

	"linerate/internal/report/format"
)

// grid is one table of a summary: only what was measured.
type grid struct {
	title   string // empty: none
	headers []string
	rows    [][]string // the name, then the figures
}

// tables returns the tables of a summary that have rows.
func (c *Summary) tables() []grid {
	var all []grid
	for _, g := range []grid{c.throughput(), c.roundTrips(), c.rdmaRates(), c.rdmaLatencies()} {
		if len(g.rows) > 0 {
			all = append(all, g)
		}
	}
	for _, s := range c.Storage {
		if g := s.grid(); len(g.rows) > 0 {
			all = append(all, g)
		}
	}
	return all
}

// throughput has a row for each direction, with a column for each number of streams.
func (c *Summary) throughput() grid {
	g := grid{}
	keys := [2][]*Row{}
	for _, streams := range []string{"1", "8"} {
		ab, ba := c.measured("tcp-"+streams+"-ab"), c.measured("tcp-"+streams+"-ba")
		if ab == nil && ba == nil {
			continue
		}
		g.headers = append(g.headers, streams+unitOf(streams, " stream", " streams"))
		keys[0], keys[1] = append(keys[0], ab), append(keys[1], ba)
	}
	sum := c.measured("tcp-8-both")
	if len(g.headers) > 0 {
		g.headers = append(g.headers, "of ceiling")
	}
	for i := range 2 {
		if !anyRow(keys[i]) {
			continue
		}
		row := []string{c.way(i)}
		for _, r := range keys[i] {
			row = append(row, goodputOf(r))
		}
		g.rows = append(g.rows, append(row, sharesOf(keys[i])))
	}
	if sum != nil {
		if len(g.headers) == 0 {
			g.headers = []string{"8 streams", "of ceiling"}
		}
		row := make([]string, len(g.headers)+1)
		row[0], row[len(row)-2], row[len(row)-1] = "both at once, sum", goodputOf(sum), sharesOf([]*Row{sum})
		g.rows = append(g.rows, row)
		for i, key := range []string{"tcp-8-both-ab", "tcp-8-both-ba"} {
			if r := c.measured(key); r != nil {
				row := make([]string, len(g.headers)+1)
				row[0], row[len(row)-2] = "  "+c.way(i), goodputOf(r)
				g.rows = append(g.rows, row)
			}
		}
	}
	return g
}

func unitOf(n, one, several string) string {
	if n == "1" {
		return one
	}
	return several
}

func anyRow(all []*Row) bool {
	for _, r := range all {
		if r != nil {
			return true
		}
	}
	return false
}

func goodputOf(r *Row) string {
	if r == nil {
		return ""
	}
	return rates.print(r.Goodput)
}

// sharesOf prints the range of shares of the ceiling: "32 to 90 %".
func sharesOf(all []*Row) string {
	var low, high *float64
	for _, r := range all {
		if r == nil || !known(r.Share, shares.most) {
			continue
		}
		if low == nil || *r.Share < *low {
			low = r.Share
		}
		if high == nil || *r.Share > *high {
			high = r.Share
		}
	}
	switch {
	case low == nil:
		return NotKnown
	case shares.print(low) == shares.print(high):
		return shares.print(low)
	}
	return strings.TrimSuffix(shares.print(low), " %") + " to " + shares.print(high)
}

// roundTrips has the idle and the loaded latency.
func (c *Summary) roundTrips() grid {
	g := grid{headers: []string{"p50", "p99", "p99.9", "load"}}
	for _, x := range [][2]string{{"ping-idle", "RTT idle"}, {"ping-loaded", "RTT under load"}} {
		if r := c.measured(x[0]); r != nil {
			g.rows = append(g.rows, []string{x[1], times.print(r.P50), times.print(r.P99), times.print(r.P999),
				loadRates.print(r.Load)})
		}
	}
	return g
}

func (c *Summary) rdmaRates() grid {
	g := grid{headers: []string{"goodput", "of ceiling"}}
	for _, op := range []string{"write", "read", "send"} {
		for i, way := range []string{"ab", "ba"} {
			if r := c.measured("rdma-" + op + "-" + way); r != nil {
				g.rows = append(g.rows, []string{"RDMA " + op + "  " + c.way(i), goodputOf(r), sharesOf([]*Row{r})})
			}
		}
	}
	return g
}

func (c *Summary) rdmaLatencies() grid {
	g := grid{headers: []string{"p50", "p99", "p99.9"}}
	for _, op := range []string{"write", "read", "send"} {
		if r := c.measured("rdma-" + op + "-latency"); r != nil {
			g.rows = append(g.rows,
				[]string{"RDMA " + op + " latency", times.print(r.P50), times.print(r.P99), times.print(r.P999)})
		}
	}
	return g
}

func (s Storage) grid() grid {
	title := cmp.Or(s.Name, "storage "+NotKnown) + " over " + orNotKnown(s.Over)
	for _, x := range []string{s.Span, s.Interval} {
		if x != "" {
			title += ", " + x
		}
	}
	if s.Repeats > 0 {
		title += ", best of " + strconv.Itoa(s.Repeats)
	}
	g := grid{title: title, headers: []string{"MB/s", "IOPS", "mean us", "of ceiling"}}
	for i := range s.Rows {
		if r := &s.Rows[i]; r.Measured {
			row := []string{Label(r.Key)}
			for _, h := range []string{"MB/s", "IOPS", "mean us", "share"} {
				f := figureNamed(h)
				row = append(row, f.print(*f.of(r)))
			}
			g.rows = append(g.rows, row)
		}
	}
	return g
}

// lines prints a table as aligned text.
func (g grid) lines() []string {
	name := 0
	widths := make([]int, len(g.headers))
	rows := make([][]string, len(g.rows))
	for i, r := range g.rows {
		rows[i] = append([]string{fitName(r[0])}, r[1:]...)
		name = max(name, len(rows[i][0]))
		for k, v := range r[1:] {
			widths[k] = max(widths[k], len(v), len(g.headers[k]))
		}
	}
	var out []string
	if g.title != "" {
		out = append(out, wrap(plainText(g.title, longText))...)
	}
	print := func(label string, values []string) {
		line := format.Pad(label, name)
		for k, v := range values {
			line += "  " + format.PadLeft(v, widths[k])
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	print("", g.headers)
	for _, r := range rows {
		print(r[0], r[1:])
	}
	return out
}

// nameWidth is the most columns of the names of a table's rows.
const nameWidth = 34

// fitName shortens the name of a row. Leading blanks stay.
func fitName(s string) string {
	text := plainText(s, longText)
	indent := len(s) - len(strings.TrimLeft(s, " "))
	return strings.Repeat(" ", indent) + shorten(text, nameWidth-indent)
}
