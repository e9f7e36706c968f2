package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Width is how many columns a card has at most.
const Width = 78

// names of the columns of the first line.
const (
	program  = "linerate"
	noRun    = "-"
	legend1  = "* Gb/s = 1,000,000,000 bits/s   MB/s = 1,000,000 bytes/s   KiB = 1024 bytes"
	legend2  = "* goodput: median of the repeats   cores: processor cores busy at that end"
	legend3  = "* ceiling: the least known of the path   share: of it   ping: 64 B over TCP"
	legend4  = "* storage: best repeat of each row   mean us: of a request, in microseconds"
	legend5  = "* RDMA latency: half of a round trip; of reads, from post to completion"
	ofTheSum = "of that sum"
	best     = "best of "
	noLoad   = "none"
)

// Text is the card as plain text: ASCII, lines of at most Width columns, each ended.
func (c *Card) Text() string {
	var b strings.Builder
	line := func(s string) { b.WriteString(strings.TrimRight(s, " ") + "\n") }
	lines := func(s string) {
		for _, l := range wrap(s) {
			line(l)
		}
	}
	head := fmt.Sprintf("%s %s  card %d  %s  run %s", program, word(c.Program, 24), Version, word(c.Date, 10), word(c.Run, 12))
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
		began := false
		for _, x := range table {
			row := c.Row(x.key)
			if !s.has(x) || row == nil {
				continue
			}
			if !began {
				line(columns(s.kind, s.name, s.heads))
				began = true
			}
			line(row.text(x))
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
					line(columns(blockRow, "["+strings.ToUpper(op[:1])+op[1:]+"]", blockHeads))
					began = true
				}
				line(columns(blockRow, strings.Replace(load, "-", " ", 1), r.cells(blockRow)))
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

// word is a text as one word of the first line.
func word(s string, most int) string {
	return cmp.Or(strings.ReplaceAll(plainText(s, most), " ", "_"), noRun)
}

// text is the line of a host behind its letter.
func (e End) text() string {
	out := []string{cmp.Or(field(e.Host, longWord), NotKnown)}
	for i, s := range []string{e.System, e.Processor, e.Card, e.Slot} {
		out = append(out, cmp.Or(field(s, longName), endFields[i]+" "+NotKnown))
	}
	return strings.Join(out, "; ")
}

// endFields are what the texts of a host are called where they are not known.
var endFields = []string{"system", "processor", "card", "slot"}

// text is the line of a drive or share.
func (s Storage) text() string {
	repeats := best + NotKnown
	if s.Repeats > 0 {
		repeats = best + strconv.Itoa(s.Repeats)
	}
	return strings.Join([]string{cmp.Or(field(s.Name, longName), NotKnown), "over " + cmp.Or(field(s.Over, longName), NotKnown), "asked by " + cmp.Or(field(s.AskedBy, 1), NotKnown),
		cmp.Or(field(s.Span, 20), "span "+NotKnown), cmp.Or(field(s.Window, 20), "time "+NotKnown), repeats}, "; ")
}

// widths of the columns by kind: the name's, then those of the figures.
var widths = map[kind][]int{
	rateRow:  {22, 13, 12, 11, 10, 10},
	partRow:  {22, 13, 0},
	pingRow:  {18, 10, 10, 10, 10, 10, 10},
	delayRow: {18, 10, 10, 10, 10, 10, 10},
	blockRow: {13, 11, 12, 12, 10, 10, 10},
}

// columns sets a name and its figures.
func columns(k kind, name string, cells []string) string {
	w := widths[k]
	line := pad(name, w[0])
	for i, c := range cells {
		line += padLeft(c, w[i+1])
	}
	return strings.TrimRight(line, " ")
}

func (r *Row) text(x spec) string {
	return columns(x.kind, x.label, r.cells(x.kind))
}

// cells are the figures of a row in words.
func (r *Row) cells(k kind) []string {
	if !r.Measured {
		return []string{" " + NotMeasured}
	}
	a, b := coresText(r.CoresA), coresText(r.CoresB)
	switch k {
	case partRow:
		return []string{rateText(r.Goodput), "  " + ofTheSum}
	case pingRow, delayRow:
		load := ""
		if k == pingRow {
			if load = rateText(r.Load); r.Load != nil && *r.Load == 0 {
				load = noLoad
			}
		}
		return []string{secondsText(r.P50), secondsText(r.P99), secondsText(r.P999), load, a, b}
	case blockRow:
		return []string{fixed(r.BytesPerSecond, mostBytes, 1e6, 2), fixed(r.IOPS, mostIOPS, 1, 1), fixed(r.Mean, mostSeconds, 1e-6, 2), shareText(r.Share), a, b}
	}
	return []string{rateText(r.Goodput), shareText(r.Share), rateText(r.Ceiling), a, b}
}
