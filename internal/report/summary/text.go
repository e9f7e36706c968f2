package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/report/format"
)

// Width is the largest number of columns of a summary.
const Width = 78

// names of the columns of the first line.
const (
	program  = "linerate"
	noRun    = "-"
	legend1  = "* Gb/s = 1,000,000,000 bits/s   MB/s = 1,000,000 bytes/s   KiB = 1024 bytes"
	legend2  = "* goodput: median of the repeats   cores: CPU cores busy at that end"
	legend3  = "* ceiling: the least known of the path   share: of it   ping: 64 B over TCP"
	legend4  = "* storage: best repeat of each row   mean us: of a request, in microseconds"
	legend5  = "* RDMA latency: half of a round trip; of reads, from post to completion"
	ofTheSum = "of that sum"
	best     = "best of "
	noLoad   = "none"
)

// Text returns the summary as plain text: ASCII, lines of at most Width columns, each ended.
func (c *Summary) Text() string {
	var b strings.Builder
	line := func(s string) { b.WriteString(strings.TrimRight(s, " ") + "\n") }
	lines := func(s string) {
		for _, l := range wrap(s) {
			line(l)
		}
	}
	head := fmt.Sprintf("%s %s  summary %d  %s  run %s", program, word(c.Program, 24), Version, word(c.Date, 10),
		word(c.Run, 12))
	line(head)
	line(legend1)
	line(legend2)
	line(legend3)
	if len(c.Storage) > 0 {
		line(legend4)
	}
	if slices.ContainsFunc(c.Rows, func(r Row) bool { s, _ := specOf(r.Key); return s.kind == delayRow }) {
		line(legend5)
	}
	for i, e := range c.Ends {
		lines(string(rune('A'+i)) + ": " + e.text())
	}
	if c.Variant != "" {
		lines("Variant: " + plainText(c.Variant, longName))
	}
	if c.Lab != "" {
		lines("Lab: " + plainText(c.Lab, longName) + "; no figure of real hardware")
	}
	if len(c.Ends) != 1 {
		lines("Link: " + orNotKnown(plainText(c.Link, longText)))
	}
	for _, s := range sections {
		for i, x := range c.specs(s) {
			if i == 0 {
				line(columns(s.kind, s.name, headers[s.kind]))
			}
			line(columns(x.kind, x.label, c.Row(x.key).values(x.kind)))
		}
	}
	for _, s := range c.Storage {
		lines("Storage: " + s.text())
		for _, op := range []string{"read", "write"} {
			began := false
			for _, r := range s.Rows {
				load, ok := strings.CutPrefix(r.Key, op+"-")
				if !ok {
					continue
				}
				if !began {
					line(columns(blockRow, "["+strings.ToUpper(op[:1])+op[1:]+"]", headers[blockRow]))
					began = true
				}
				line(columns(blockRow, strings.Replace(load, "-", " ", 1), r.values(blockRow)))
			}
		}
	}
	for _, n := range c.Notes {
		lines("Note: " + plainText(n, longText))
	}
	lines("Verdict: " + orNotKnown(plainText(c.Verdict, longText)))
	return b.String()
}

func orNotKnown(s string) string { return cmp.Or(s, NotKnown) }

// word makes a text one word of the first line.
func word(s string, most int) string {
	return cmp.Or(strings.ReplaceAll(plainText(s, most), " ", "_"), noRun)
}

// text returns the line of a host after its letter.
func (e End) text() string {
	out := []string{cmp.Or(field(e.Host, longWord), NotKnown)}
	for i, s := range []string{e.System, e.CPU, e.NIC, e.Slot} {
		out = append(out, cmp.Or(field(s, longName), endFields[i]+" "+NotKnown))
	}
	return strings.Join(out, "; ")
}

// endFields name the texts of a host where they are not known.
var endFields = []string{"system", "CPU", "NIC", "slot"}

// text returns the line of a drive or share.
func (s Storage) text() string {
	repeats := best + NotKnown
	if s.Repeats > 0 {
		repeats = best + strconv.Itoa(s.Repeats)
	}
	return strings.Join(
		[]string{cmp.Or(field(s.Name, longName), NotKnown), "over " + cmp.Or(field(s.Over, longName), NotKnown),
			"asked by " + cmp.Or(field(s.AskedBy, 1), NotKnown), cmp.Or(field(s.Span, 20), "span "+NotKnown),
			cmp.Or(field(s.Interval, 20), "time "+NotKnown), repeats}, "; ",
	)
}

// widths of the columns by kind: the name's, then those of the figures.
var widths = map[kind][]int{rateRow: {22, 13, 12, 11, 10, 10}, partRow: {22, 13, 0},
	pingRow: {18, 10, 10, 10, 10, 10, 10}, delayRow: {18, 10, 10, 10, 20, 10}, blockRow: {13, 11, 12, 12, 10, 10, 10}}

// columns sets a name and its figures.
func columns(k kind, name string, values []string) string {
	w := widths[k]
	line := format.Pad(name, w[0])
	for i, c := range values {
		line += format.PadLeft(c, w[i+1])
	}
	return strings.TrimRight(line, " ")
}

// values returns the figures of a row as texts.
func (r *Row) values(k kind) (out []string) {
	if !r.Measured {
		return []string{" " + NotMeasured}
	}
	for _, f := range k.figures() {
		out = append(out, f.print(*f.of(r)))
	}
	if k == partRow {
		out = append(out, "  "+ofTheSum)
	}
	return out
}
