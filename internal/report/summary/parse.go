package summary

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
)

// Parse reads the first summary of a text, see ParseAll. If there is none, it returns nil and a problem.
func Parse(text string) (*Summary, Problems) {
	all, problems := ParseAll(text)
	if len(all) == 0 {
		return nil, problems
	}
	return all[0], problems
}

// The largest number of lines that are read, and of summaries that are kept.
const (
	mostLines     = 200_000
	mostSummaries = 200
)

// ParseAll reads the summaries in a pasted text: quoted, indented, in fences or tags, with spaces lost or replaced; or
// as JSON. All problems are reported together. A summary with problems has everything that could be read.
func ParseAll(text string) (out []*Summary, problems Problems) {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return parseJSON(text)
	}
	lines := strings.Split(ordinary(text), "\n")
	if len(lines) > mostLines {
		return nil, Problems{
			{What: fmt.Sprintf("it has %d lines, and linerate reads %d", len(lines), mostLines), Next: "give the summary alone"},
		}
	}
	for i := 0; i < len(lines); {
		p := begin(lines[i], i+1)
		i++
		switch {
		case p == nil:
			continue
		case p.old:
			if !slices.Contains(problems, oldForm) {
				problems = append(problems, oldForm)
			}
			continue
		}
		for i < len(lines) && p.line(lines[i], i+1) {
			i++
		}
		p.finish(i)
		if len(out) < mostSummaries {
			out = append(out, p.summary)
		}
		problems = append(problems, p.problems...)
	}
	if len(out) == 0 && len(problems) == 0 {
		next := unit.If(strings.HasPrefix(strings.TrimSpace(text), csvHeaders[0]+","),
			"CSV is not read back; use linerate share RUN --as text",
			"copy all of a summary, from its first line: linerate 0.1.0  summary 2  2026-11-21  run kxzp")
		return nil, Problems{{What: "there is no summary in it", Next: next}}
	}
	return out, problems
}

var (
	spaces = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ", "\u00a0", " ", "\u2007", " ", "\u2009", " ",
		"\u200a", " ", "\u202f", " ", "\u3000", " ", "\u2028", "\n", "\u2029", "\n")
	unseen = strings.NewReplacer("\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "", "\u00ad", "")
	twins  = strings.NewReplacer("→", "->", "↔", "<->", "–", "-", "—", "-", "−", "-", "µ", "u", "μ", "u", "…", "..", "‘",
		"'", "’", "'", "•", "*")
	entities = strings.NewReplacer("&gt;", ">", "&lt;", "<", "&nbsp;", " ", "&#39;", "'", "&quot;", "\"", "&amp;", "&")
	tags     = regexp.MustCompile(`(?i)\[/?(?:code|quote|pre|list|size|font|color|b|i|u|spoiler|tt)(?:=[^\]\n]*)?\]|` +
		`</?(?:pre|code|blockquote|p|br|div|span|details|summary|tt)(?: [^>\n]*)?/?>`)
	quotes   = regexp.MustCompile(`^(?:\s{0,8}[>|])+ ?`)
	quote    = regexp.MustCompile(`^\s{0,8}[>|]`)
	headLine = regexp.MustCompile(`^[*#_\s]*linerate +(\S+)( +)(card|summary) +(\d{1,9}) +(\S+) +run +(\S+?)[*_\s]*$`)
	arrow    = regexp.MustCompile(`\b([AB]) ?-+ ?> ?([AB])\b`)
)

// ordinary normalizes spaces, line ends and arrows, which may be HTML entities.
func ordinary(text string) string {
	text = twins.Replace(unseen.Replace(spaces.Replace(text)))
	if strings.Contains(text, "-&gt;") {
		text = entities.Replace(text)
	}
	return strings.ToValidUTF8(text, "?")
}

// bare returns a line without tags and up to marks quote marks, and its number of leading spaces.
func bare(line string, marks int) (string, int) {
	for ; marks > 0; marks-- {
		at := quote.FindString(line)
		if at == "" {
			break
		}
		line = line[len(at):]
	}
	if strings.ContainsAny(line, "[<") {
		line = tags.ReplaceAllString(line, "")
	}
	line = strings.TrimRight(line, " ")
	text := strings.TrimLeft(line, " ")
	return text, len(line) - len(text)
}

// reading is a summary that is being read.
type reading struct {
	summary  *Summary
	marks    int  // of quoting before its first line
	indent   int  // of that line
	loose    bool // runs of spaces were lost, and indentation with them
	newer    bool
	old      bool
	section  *section
	op       string // of [Read] and [Write]
	into     *string
	ends     [2]string
	seen     map[string]bool
	verdict  bool
	problems Problems
}

// begin returns the summary that begins with a line; nil: none does.
func begin(line string, n int) *reading {
	marks := 0
	for _, r := range quotes.FindString(line) {
		if r == '>' || r == '|' {
			marks++
		}
	}
	text, indent := bare(line, marks)
	m := headLine.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	version, _ := strconv.Atoi(m[4]) // digits
	if version < 1 {
		return nil
	}
	p := &reading{
		summary: &Summary{Version: version, Program: unless(m[1], noRun), Date: unless(m[5], noRun), Run: unless(m[6], noRun),
			Ends: []End{}, Rows: []Row{}, Storage: []Storage{}, Notes: []string{}},
		marks: marks, indent: indent, loose: len(m[2]) < 2, newer: version > Version,
		old: m[3] == "card" || version < Version, seen: map[string]bool{},
	}
	if p.newer {
		p.say(n, "", fmt.Sprintf("the summary has form %d, and this version reads form %d", version, Version),
			"use a newer linerate; what both have is read")
	}
	return p
}

// oldForm is the problem of a text of form 1, whose first line has "card 1".
var oldForm = Problem{What: `the summary has the old form "card 1", which this version of linerate does not read`,
	Next: "print it again with linerate share RUN"}

// unless returns s, or an empty text if s is the word for an unknown value.
func unless(s, word string) string {
	if s == word {
		return ""
	}
	return s
}

func (p *reading) say(line int, text, what, next string) {
	if len(p.problems) < 200 {
		p.problems = append(p.problems, Problem{line, text, what, next})
	}
}

// line reads one; false: the summary has ended before it.
func (p *reading) line(raw string, n int) bool {
	text, indent := bare(raw, p.marks)
	switch {
	case text == "":
		if p.loose {
			p.into = nil
		}
		return !p.verdict
	case p.into != nil && indent >= p.indent+2 && !p.loose:
		*p.into += " " + text
		return true
	case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"), headLine.MatchString(text):
		return false
	case p.verdict && p.into == nil, p.verdict && !p.loose:
		return false
	case strings.HasPrefix(text, "*"):
		p.into = nil
		return true
	}
	if p.named(text, n) || p.heading(text, n) || p.row(text, n) {
		return true
	}
	switch {
	case p.into != nil: // a line that was broken, and has lost its indentation
		*p.into += " " + text
	case p.newer:
	default:
		next := "put back the original line, or take it out"
		if label := nearest(text); label != "" {
			next = "write " + label
		}
		p.say(n, text, "it is not a line of a summary", next)
	}
	return true
}

// nearest returns the row that was most likely meant: among those with the line's number of words, the longest first.
func nearest(text string) string {
	words := strings.Fields(text)
	for n := min(6, len(words)); n > 0; n-- {
		var labels []string
		for _, s := range table {
			if label := strings.Fields(s.label); len(label) == n && s.kind != delayRow {
				labels = append(labels, strings.Join(label, " "))
			}
		}
		if found := diag.Nearest(strings.Join(words[:n], " "), labels); found != "" {
			return found
		}
	}
	return ""
}

// named reads a line that begins with its name.
func (p *reading) named(text string, n int) bool {
	name, rest, ok := strings.Cut(text, ":")
	if !ok {
		return false
	}
	rest = strings.TrimSpace(rest)
	c := p.summary
	once := func(into *string) {
		if p.seen[name] {
			p.say(n, text, name+" stands twice", "take one of them out; the first counts")
			into = new(string)
		}
		p.seen[name] = true
		*into, p.into = rest, into
	}
	switch name {
	case "A":
		once(&p.ends[0])
	case "B":
		once(&p.ends[1])
	case "Variant":
		once(&c.Variant)
	case "Lab":
		once(&c.Lab)
	case "Link":
		once(&c.Link)
	case "Verdict":
		once(&c.Verdict)
		p.verdict = true
	case "Note":
		if len(c.Notes) >= 100 {
			p.into = new(string)
			return true
		}
		// The list may move: earlier notes are complete, and pointers into them are no longer used.
		c.Notes = append(c.Notes, rest)
		p.into = &c.Notes[len(c.Notes)-1]
	case "Storage":
		if len(c.Storage) >= 100 {
			p.into = new(string)
			return true
		}
		p.op, p.section = "", nil
		c.Storage = append(c.Storage, Storage{Name: rest, Rows: []Row{}})
		p.into = &c.Storage[len(c.Storage)-1].Name
	default:
		return false
	}
	return true
}

// heading reads the line over a part of the rows.
func (p *reading) heading(text string, n int) bool {
	if !strings.HasPrefix(text, "[") {
		return false
	}
	name, _, ok := strings.Cut(text, "]")
	if !ok {
		return false
	}
	name += "]"
	p.into = nil
	for i := range sections {
		if strings.EqualFold(sections[i].name, name) {
			p.section, p.op = &sections[i], ""
			return true
		}
	}
	if op := strings.ToLower(strings.Trim(name, "[]")); op == "read" || op == "write" {
		if p.op, p.section = op, nil; len(p.summary.Storage) == 0 {
			p.summary.Storage = append(p.summary.Storage, Storage{Rows: []Row{}})
			if !p.newer {
				p.say(n, text, "the line that says which storage it is lacks before it", "copy the line Storage: too")
			}
		}
		return true
	}
	if !p.newer {
		p.say(n, text, name+" is not a part of a summary", "write one of "+strings.Join(sectionNames(), ", "))
	}
	p.section, p.op = nil, ""
	return true
}

func sectionNames() (out []string) {
	for _, s := range sections {
		out = append(out, s.name)
	}
	return append(out, "[Read]", "[Write]")
}

// finish ends a summary: it splits texts, and reports what is missing. last is the number of its last line.
func (p *reading) finish(last int) {
	c := p.summary
	for i, text := range p.ends {
		if text == "" {
			continue
		}
		for len(c.Ends) < i {
			c.Ends = append(c.Ends, End{})
		}
		c.Ends = append(c.Ends, endOf(text))
	}
	c.Link, c.Verdict = unless(c.Link, NotKnown), unless(c.Verdict, NotKnown)
	c.Lab = strings.TrimSuffix(c.Lab, labTail)
	for i := range c.Storage {
		c.Storage[i] = storageOf(c.Storage[i])
	}
	var missing []string
	if p.ends[0] == "" {
		missing = append(missing, "A:")
	}
	if network := p.ends[1] != "" || len(c.Storage) == 0; network {
		missing = append(missing, c.order(true)...)
		if p.ends[1] == "" {
			missing = append(missing, "B:")
		}
	}
	if !p.verdict {
		missing = append(missing, "Verdict:")
	}
	if len(missing) > 0 && !p.newer {
		if n := len(missing); n > 4 {
			missing = append(missing[:4], fmt.Sprintf("and %d more", n-4))
		}
		p.say(last, "", "missing in the summary: "+strings.Join(missing, ", "), "copy all of it, to the line Verdict:")
	}
}

const labTail = "; no figure of real hardware"

// order sorts the rows by the table and drops unknown ones. With fill it adds missing rows as not measured, and returns
// their labels.
func (c *Summary) order(fill bool) (missing []string) {
	var rows []Row
	for _, s := range table {
		if row := c.Row(s.key); row != nil {
			rows = append(rows, *row)
		} else if fill && !s.rdma {
			missing, rows = append(missing, Label(s.key)), append(rows, Row{Key: s.key})
		}
	}
	c.Rows = rows
	return missing
}

// Problem is one error of a pasted summary.
type Problem struct {
	Line int    `json:"line"` // of the text, from 1; 0: of all of it
	Text string `json:"text"` // of that line
	What string `json:"what"`
	Next string `json:"next"` // what to do about it
}

func (p Problem) Error() string {
	s := p.What
	if p.Line > 0 {
		s = fmt.Sprintf("line %d: %s", p.Line, s)
	}
	if p.Next != "" {
		s += "; " + p.Next
	}
	if p.Text != "" {
		s += ": " + strconv.QuoteToASCII(shorten(p.Text, 100))
	}
	return s
}

// Problems are all errors of a text, in its order. Compare the length with 0.
type Problems []Problem

func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "\n")
}
