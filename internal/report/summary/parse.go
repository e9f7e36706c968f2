package summary

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/diag"
)

// Problem is one thing that is wrong with a card that was pasted.
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

// Problems are all that is wrong with a text, in its order. Compare the length with 0.
type Problems []Problem

func (ps Problems) Error() string {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.Error()
	}
	return strings.Join(texts, "\n")
}

// Parse reads the first card of a text; see ParseAll. Nil: there is none, and the problems say so.
func Parse(text string) (*Card, Problems) {
	all, problems := ParseAll(text)
	if len(all) == 0 {
		return nil, problems
	}
	return all[0], problems
}

// mostLines of a text are read, and mostCards of it kept.
const (
	mostLines = 200_000
	mostCards = 200
)

// ParseAll reads the cards of a text, in whatever it was pasted: quoted, indented, in fences or tags, with spaces lost or of another kind; or as JSON. What is wrong with
// them comes together, and a card has what could be read of it all the same.
func ParseAll(text string) (out []*Card, problems Problems) {
	text = strings.TrimPrefix(text, "\ufeff")
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return parseJSON(text)
	}
	lines := strings.Split(ordinary(text), "\n")
	if len(lines) > mostLines {
		return nil, Problems{{What: fmt.Sprintf("it has %d lines, and linerate reads %d", len(lines), mostLines), Next: "give the card alone"}}
	}
	for i := 0; i < len(lines); {
		p := begin(lines[i], i+1)
		i++
		if p == nil {
			continue
		}
		for i < len(lines) && p.line(lines[i], i+1) {
			i++
		}
		p.finish(i)
		if len(out) < mostCards {
			out = append(out, p.card)
		}
		problems = append(problems, p.problems...)
	}
	if len(out) == 0 {
		next := "copy all of a card, from its first line on: linerate 0.1.0  card 1  2026-11-21  run kxzp"
		if strings.HasPrefix(strings.TrimSpace(text), csvHeads[0]+",") {
			next = "CSV is not read back; use linerate show RUN --as text"
		}
		return nil, Problems{{What: "there is no card in it", Next: next}}
	}
	return out, problems
}

var (
	spaces   = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ", "\u00a0", " ", "\u2007", " ", "\u2009", " ", "\u200a", " ", "\u202f", " ", "\u3000", " ", "\u2028", "\n", "\u2029", "\n")
	unseen   = strings.NewReplacer("\u200b", "", "\u200c", "", "\u200d", "", "\u2060", "", "\ufeff", "", "\u00ad", "")
	twins    = strings.NewReplacer("→", "->", "↔", "<->", "–", "-", "—", "-", "−", "-", "µ", "u", "μ", "u", "…", "..", "‘", "'", "’", "'", "•", "*")
	entities = strings.NewReplacer("&gt;", ">", "&lt;", "<", "&nbsp;", " ", "&#39;", "'", "&quot;", "\"", "&amp;", "&")
	tags     = regexp.MustCompile(`(?i)\[/?(?:code|quote|pre|list|size|font|color|b|i|u|spoiler|tt)(?:=[^\]\n]*)?\]|</?(?:pre|code|blockquote|p|br|div|span|details|summary|tt)(?: [^>\n]*)?/?>`)
	quotes   = regexp.MustCompile(`^(?:\s{0,8}[>|])+ ?`)
	quote    = regexp.MustCompile(`^\s{0,8}[>|]`)
	headLine = regexp.MustCompile(`^[*#_\s]*linerate +(\S+)( +)card +(\d{1,9}) +(\S+) +run +(\S+?)[*_\s]*$`)
	arrow    = regexp.MustCompile(`\b([AB]) ?-+ ?> ?([AB])\b`)
)

// ordinary has plain spaces and line ends, and what HTML made of an arrow is one again.
func ordinary(text string) string {
	text = twins.Replace(unseen.Replace(spaces.Replace(text)))
	if strings.Contains(text, "-&gt;") {
		text = entities.Replace(text)
	}
	return strings.ToValidUTF8(text, "?")
}

// bare is a line without at most so many marks of quoting and without tags, and the number of spaces that it begins with.
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

// reading is a card that is being read.
type reading struct {
	card     *Card
	marks    int  // of quoting before its first line
	indent   int  // of that line
	loose    bool // runs of spaces were lost, and indentation with them
	newer    bool
	section  *section
	op       string // of [Read] and [Write]
	into     *string
	ends     [2]string
	seen     map[string]bool
	verdict  bool
	problems Problems
}

// begin looks whether a card begins with a line; nil: none does.
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
	version, _ := strconv.Atoi(m[3]) // digits
	if version < 1 {
		return nil
	}
	p := &reading{card: &Card{Version: version, Program: gone(m[1]), Date: gone(m[4]), Run: gone(m[5]), Ends: []End{}, Rows: []Row{}, Storage: []Storage{}, Notes: []string{}},
		marks: marks, indent: indent, loose: len(m[2]) < 2, newer: version > Version, seen: map[string]bool{}}
	if p.newer {
		p.say(n, "", fmt.Sprintf("the card has form %d, and this version reads form %d", version, Version), "use a newer linerate; what both have is read")
	}
	return p
}

// gone is a word that stands for nothing.
func gone(s string) string {
	if s == noRun {
		return ""
	}
	return s
}

func (p *reading) say(line int, text, what, next string) {
	if len(p.problems) < 200 {
		p.problems = append(p.problems, Problem{line, text, what, next})
	}
}

// line reads one; false: the card has ended before it.
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
		next := "put back what the card had there, or take the line out"
		if label := nearest(text); label != "" {
			next = "write " + label
		}
		p.say(n, text, "it is no line of a card", next)
	}
	return true
}

// nearest is the row that was most likely meant: of those with as many words as the line has, the longest first.
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
	c := p.card
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
		// Grown by one: earlier notes are complete, and no pointer into them is used any more.
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
		if p.op, p.section = op, nil; len(p.card.Storage) == 0 {
			p.card.Storage = append(p.card.Storage, Storage{Rows: []Row{}})
			if !p.newer {
				p.say(n, text, "the line that says which storage it is lacks before it", "copy the line Storage: too")
			}
		}
		return true
	}
	if !p.newer {
		p.say(n, text, name+" is no part of a card", "those are "+strings.Join(sectionNames(), ", "))
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

// finish ends a card: texts are taken apart, and what lacks is told. last is the number of its last line.
func (p *reading) finish(last int) {
	c := p.card
	for i, text := range p.ends {
		if text == "" {
			continue
		}
		for len(c.Ends) < i {
			c.Ends = append(c.Ends, End{})
		}
		c.Ends = append(c.Ends, endOf(text))
	}
	c.Link, c.Verdict = unlessUnknown(c.Link), unlessUnknown(c.Verdict)
	c.Lab = strings.TrimSuffix(c.Lab, labTail)
	for i := range c.Storage {
		c.Storage[i] = storageOf(c.Storage[i])
	}
	var missing []string
	if p.ends[0] == "" {
		missing = append(missing, "A:")
	}
	if network := p.ends[1] != "" || len(c.Storage) == 0; network {
		var rows []Row
		for _, s := range table {
			row := c.Row(s.key)
			if row == nil && !s.rdma {
				missing = append(missing, Label(s.key))
				row = &Row{Key: s.key}
			}
			if row != nil {
				rows = append(rows, *row)
			}
		}
		c.Rows = rows
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
		p.say(last, "", "the card lacks "+strings.Join(missing, ", "), "copy all of it, to the line Verdict:")
	}
}

const labTail = "; no figure of real hardware"

func unlessUnknown(s string) string {
	if s == NotKnown {
		return ""
	}
	return s
}

// endOf takes the line of a host apart.
func endOf(text string) End {
	parts := semicolons(text, 1+len(endFields))
	e := End{Host: unlessUnknown(parts[0])}
	for i, to := range []*string{&e.System, &e.Processor, &e.Card, &e.Slot} {
		if s := parts[i+1]; s != endFields[i]+" "+NotKnown {
			*to = s
		}
	}
	return e
}

// semicolons splits a text at them into n parts; those that lack are empty.
func semicolons(text string, n int) []string {
	parts := strings.SplitN(text, ";", n)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return append(parts, slices.Repeat([]string{""}, n-len(parts))...)
}

// storageOf takes the line of a drive or share apart, which is in the name.
func storageOf(s Storage) Storage {
	parts := semicolons(s.Name, 6)
	s.Name, s.Over = unlessUnknown(parts[0]), unlessUnknown(strings.TrimPrefix(parts[1], "over "))
	if s.AskedBy = strings.TrimPrefix(parts[2], "asked by "); s.AskedBy != "A" && s.AskedBy != "B" {
		s.AskedBy = ""
	}
	if s.Span = parts[3]; s.Span == "span "+NotKnown {
		s.Span = ""
	}
	if s.Window = parts[4]; s.Window == "time "+NotKnown {
		s.Window = ""
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(parts[5], best)); err == nil && n > 0 && n < 1e6 {
		s.Repeats = n
	}
	return s
}

// parseJSON reads a set, or one card of it.
func parseJSON(text string) ([]*Card, Problems) {
	var set Set
	if err := json.Unmarshal([]byte(text), &set); err != nil {
		return nil, Problems{{What: "it cannot be read as JSON: " + err.Error(), Next: "write it with linerate show RUN --as json"}}
	}
	if kind, version, _ := cutLast(set.Schema, "/"); set.Schema != Schema && kind != "linerate/card" {
		return nil, Problems{{What: fmt.Sprintf("its schema is %.60q, not %s", set.Schema, Schema), Next: "write it with linerate show RUN --as json"}}
	} else if version != "1" {
		return tidied(set.Cards, Problems{{What: fmt.Sprintf("it has schema %.60q, and this version reads %s", set.Schema, Schema), Next: "use a newer linerate; what both have is read"}}, true)
	}
	return tidied(set.Cards, nil, false)
}

func cutLast(s, sep string) (string, string, bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// tidied drops what the cards of a file cannot have.
func tidied(all []*Card, problems Problems, newer bool) ([]*Card, Problems) {
	var out []*Card
	for i, c := range all {
		if c == nil || len(out) >= mostCards {
			continue
		}
		if c.Version > Version && !newer {
			problems = append(problems, Problem{What: fmt.Sprintf("card %d has form %d, and this version reads form %d", i+1, c.Version, Version), Next: "use a newer linerate; what both have is read"})
		}
		c.Ends = c.Ends[:min(len(c.Ends), 2)]
		var rows []Row
		for _, s := range table {
			if row := c.Row(s.key); row != nil {
				rows = append(rows, *row)
			} else if !s.rdma && len(c.Ends) == 2 {
				rows = append(rows, Row{Key: s.key})
			}
		}
		c.Rows = rows
		for k := range c.Storage {
			problems = append(problems, c.Storage[k].tidied(i+1, newer || c.Version > Version)...)
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		problems = append(problems, Problem{What: "there is no card in it", Next: "write it with linerate show RUN --as json"})
	}
	return out, problems
}

// tidied removes the rows that no card has. Of a newer card, which may have more rows, it reports none. n is the number
// of the card in the file.
func (s *Storage) tidied(n int, newer bool) (problems Problems) {
	s.Rows = slices.DeleteFunc(s.Rows, func(r Row) bool {
		op, load, _ := strings.Cut(r.Key, "-")
		if (op == "read" || op == "write") && hasRow(load) {
			return false
		}
		if !newer {
			wrong := noRowOf(r.Key)
			wrong.What = fmt.Sprintf("card %d: %s", n, wrong.What)
			problems = append(problems, wrong)
		}
		return true
	})
	return problems
}
