package brief

import (
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
	"linerate/internal/report/highlight"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

const (
	columns = 80
	// lines is the length of a report of up to freeRows rows of links. Each further row adds a line.
	lines, freeRows = 30, 3
)

// Print prints a run. ref is what to write for it on a command line; empty: it was not kept.
func Print(t terminal.Terminal, f *highlight.Found, ref string) error {
	b := newBrief(t, f, ref)
	l := b.text()
	for i, s := range b.fitted() {
		if i > 0 && s.apart {
			l.Gap()
		}
		for _, row := range s.rows {
			l.Line(row)
		}
	}
	return l.Flush()
}

// Reference returns what to write for a run on a command line: its letters where it is in the folder runs, else its
// folder.
func Reference(dir, id string) string {
	dir = filepath.Clean(dir)
	if filepath.Dir(dir) == "runs" && id != "" {
		return id
	}
	return format.Command([]string{dir})
}

// brief is a run on its way to a short text.
type brief struct {
	term   terminal.Terminal
	run    *record.Run
	found  *highlight.Found
	ref    string
	links  []result.Row
	causes []report.Cause
	lead   *report.Cause // the cause with which the answer begins; nil: there is none
	head   headline.Headline
	rows   int // of the table of links
}

func newBrief(t terminal.Terminal, f *highlight.Found, ref string) *brief {
	t = narrowed(t)
	b := &brief{term: t, run: f.Run(), found: f, ref: ref}
	b.links, b.causes = result.Rows(b.run), report.Causes(b.run)
	b.head = headline.Of(b.run)
	b.lead = report.Lead(b.head, b.causes)
	return b
}

// narrowed returns a terminal of a report's width.
func narrowed(t terminal.Terminal) terminal.Terminal {
	if t.Width < 60 || t.Width > columns {
		t.Width = columns
	}
	return t
}

// text returns an empty text of the report's width.
func (b *brief) text() *terminal.Lines { return b.term.Lines() }

// section is a part of the report.
type section struct {
	rows  []string
	least int  // rows that stay when the report is too long
	apart bool // an empty line is in front of it
}

func of(l *terminal.Lines, least int) section {
	rows := l.Rows()
	return section{rows: rows, least: min(least, len(rows)), apart: true}
}

// fitted returns the sections without empty ones, shortened to the length of a report. What is cut is in the complete
// text, which the last lines name.
func (b *brief) fitted() []section {
	title, answer := b.title(), b.answer()
	fix, table := b.fix(), b.table()
	why, others, found := b.why(), b.others(), b.findings()
	goals, notes, next := b.goals(), b.notes(), b.next()
	all := []*section{&title, &answer, &fix, &table, &why, &others, &found, &goals, &notes, &next}
	length := func() (n int) {
		for i, s := range all {
			if len(s.rows) == 0 {
				continue
			}
			n += len(s.rows)
			if s.apart && i > 0 {
				n++
			}
		}
		return n
	}
	most := lines + max(0, b.rows-freeRows)
	for _, s := range []*section{&others, &why, &goals, &answer, &found, &notes, &next, &fix} {
		for length() > most && len(s.rows) > s.least {
			s.rows = s.rows[:len(s.rows)-1]
		}
	}
	for _, s := range []*section{&others, &why, &goals, &answer} { // long names can fill a line each
		for length() > most && len(s.rows) > 1 {
			s.rows = s.rows[:len(s.rows)-1]
		}
	}
	for _, s := range []*section{&notes, &found} { // the empty lines around short parts
		if length() > most {
			s.apart = false
		}
	}
	var out []section
	for _, s := range all {
		if len(s.rows) > 0 {
			out = append(out, *s)
		}
	}
	return slices.Clip(out)
}

// shorten cuts a text at a word, so that it has at most n columns.
func shorten(s string, n int) string {
	s = format.Clean(s)
	r := []rune(s)
	if n = max(n, 4); len(r) <= n {
		return s
	}
	line := string(r[:n-3])
	if i := strings.LastIndex(line, " "); i > (n-3)/2 {
		line = line[:i]
	}
	return strings.TrimRight(line, " ,;:(-") + "..."
}

// cut wraps a text into at most so many lines of n columns.
func cut(s string, n, most int) []string {
	parts := format.Wrap(format.Clean(s), n)
	if len(parts) > most {
		parts = append(parts[:most-1], shorten(strings.Join(parts[most-1:], " "), n))
	}
	return parts
}

// item prints "label  text" on one line.
func item(l *terminal.Lines, label int, name, text string) {
	l.Line(l.Ink(terminal.Faint, format.Pad(name, label)), "  ", l.Ink(terminal.Normal, shorten(text, l.Width-label-2)))
}
