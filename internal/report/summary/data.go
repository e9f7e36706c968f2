package summary

import (
	"fmt"
	"hash/crc32"
	"regexp"
	"strconv"
	"strings"
)

// The line of data of a posted summary has everything that compare reads back. It consists of letters, digits and the
// characters . + - , ; % alone, because forums change others: quotation marks and apostrophes become curly, two hyphens
// a dash, three dots an ellipsis, "->" an arrow, "(c)" a sign, "1/2" a fraction, and < > & entities. White space has no
// meaning in it, so it survives line wraps and lost or doubled blanks. A space of a text is a plus sign, all other
// characters are percent-encoded UTF-8. The sum at its end is the CRC-32 of what is before it, without white space.
//
//	linerate-data 2; program, 1.2.3; run, k3vq; a, nas, Debian+12, ..; tcp-1-ab, 1.21e10, ..; sum, 1a2b3c4d
const dataStart = "linerate-data"

var (
	dataLine = regexp.MustCompile(dataStart)
	numbers  = regexp.MustCompile(`^\d{1,18}(?:\.\d{1,18})?(?:e-?\d{1,3})?$`)
)

// data returns the line of data, without an end.
func (c *Summary) data() string {
	var all []string
	add := func(key string, values ...string) {
		all = append(all, strings.Join(append([]string{key}, values...), ", "))
	}
	text := func(key, value string, most int) {
		if v := encode(value, most); v != "" {
			add(key, v)
		}
	}
	text("program", c.Program, 24)
	text("date", c.Date, 10)
	text("run", c.Run, 12)
	for i, e := range c.Ends[:min(len(c.Ends), 2)] {
		add([]string{"a", "b"}[i], encode(e.Host, longWord), encode(e.System, longName), encode(e.CPU, longName),
			encode(e.NIC, longName), encode(e.Slot, longName))
	}
	text("variant", c.Variant, longName)
	text("lab", c.Lab, longName)
	text("link", c.Link, longText)
	rows := func(all []Row) {
		for i := range all {
			if r := &all[i]; r.Measured {
				add(r.Key, r.numbers()...)
			}
		}
	}
	rows(c.Rows)
	for _, s := range c.Storage {
		add("storage", encode(s.Name, longName), encode(s.Over, longName), encode(s.AskedBy, 1), encode(s.Span, 20),
			encode(s.Interval, 20), strconv.Itoa(max(s.Repeats, 0)))
		rows(s.Rows)
	}
	for _, n := range c.Notes {
		text("note", n, longText)
	}
	text("verdict", c.Verdict, longText)
	text("bottleneck", c.Bottleneck, longName)
	text("fix", c.Fix, longText)
	line := fmt.Sprintf("%s %d; %s; ", dataStart, Version, strings.Join(all, "; "))
	return line + "sum, " + checksum(line)
}

// kindOf returns the kind of a row by its key.
func kindOf(key string) kind {
	if s, ok := specOf(key); ok {
		return s.kind
	}
	return blockRow
}

// numbers returns the figures of a row in base units with six digits; x is not known.
func (r *Row) numbers() (out []string) {
	for _, f := range kindOf(r.Key).figures() {
		v := *f.of(r)
		if !known(v, f.most) {
			out = append(out, "x")
			continue
		}
		out = append(out, strings.Replace(strconv.FormatFloat(*v, 'g', 6, 64), "e+", "e", 1))
	}
	return out
}

// encode makes a text safe in the line of data.
func encode(s string, most int) string {
	s = tidy(s, most)
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			b.WriteByte('+')
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			(c == '.' || c == '-') && i > 0 && s[i-1] != c:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// decode reverses encode. A sequence that encode does not write stays as it is.
func decode(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		if s[i] == '+' {
			b.WriteByte(' ')
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// compact removes everything that a line of data cannot have: white space, quote marks, tags, decoration.
func compact(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".+-,;%", r) {
			return r
		}
		return -1
	}, s)
}

func checksum(line string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(compact(line))))
}

// readData reads the fields of a line of data into a summary. Problems have its line number.
func readData(version, fields string, line int) (*Summary, Problems) {
	v, _ := strconv.Atoi(version) // digits
	c := &Summary{Version: v, Ends: []End{}, Rows: []Row{}, Storage: []Storage{}, Notes: []string{}}
	d := &dataReader{summary: c, line: line, newer: v > Version}
	if d.newer {
		d.say(fmt.Sprintf("the summary has form %d, and this version reads form %d", v, Version),
			"use a newer linerate; what both have is read")
	}
	for _, field := range strings.Split(compact(fields), ";") {
		parts := strings.Split(field, ",")
		if parts[0] != "" {
			d.field(parts[0], parts[1:])
		}
	}
	if len(c.Ends) == 2 || len(c.Storage) == 0 {
		c.order(true)
	}
	return c, d.problems
}

type dataReader struct {
	summary  *Summary
	line     int
	newer    bool
	problems Problems
}

func (d *dataReader) say(what, next string) {
	if len(d.problems) < 200 {
		d.problems = append(d.problems, Problem{Line: d.line, What: what, Next: next})
	}
}

// most of what a line of data may have of each kind.
const mostOfData = 100

func (d *dataReader) field(key string, values []string) {
	c := d.summary
	at := func(i, most int) string {
		if i < len(values) {
			return tidy(decode(values[i]), most)
		}
		return ""
	}
	switch key {
	case "program":
		c.Program = at(0, 24)
	case "date":
		c.Date = at(0, 10)
	case "run":
		c.Run = at(0, 12)
	case "a", "b":
		if len(c.Ends) < 2 {
			c.Ends = append(c.Ends, End{Host: at(0, longWord), System: at(1, longName), CPU: at(2, longName),
				NIC: at(3, longName), Slot: at(4, longName)})
		}
	case "variant":
		c.Variant = at(0, longName)
	case "lab":
		c.Lab = at(0, longName)
	case "link":
		c.Link = at(0, longText)
	case "verdict":
		c.Verdict = at(0, longText)
	case "bottleneck":
		c.Bottleneck = at(0, longName)
	case "fix":
		c.Fix = at(0, longText)
	case "note":
		if n := at(0, longText); n != "" && len(c.Notes) < mostOfData {
			c.Notes = append(c.Notes, n)
		}
	case "storage":
		if len(c.Storage) < mostOfData {
			s := Storage{Name: at(0, longName), Over: at(1, longName), AskedBy: at(2, 1), Span: at(3, 20),
				Interval: at(4, 20), Rows: []Row{}}
			if n, err := strconv.Atoi(at(5, 9)); err == nil && n > 0 {
				s.Repeats = n
			}
			if s.AskedBy != "A" && s.AskedBy != "B" {
				s.AskedBy = ""
			}
			c.Storage = append(c.Storage, s)
		}
	default:
		d.row(key, values)
	}
}

// row reads the figures of a row.
func (d *dataReader) row(key string, values []string) {
	c := d.summary
	rows := &c.Rows
	if _, network := specOf(key); !network {
		op, load, _ := strings.Cut(key, "-")
		switch {
		case (op == "read" || op == "write") && hasRow(load) && len(c.Storage) > 0:
			rows = &c.Storage[len(c.Storage)-1].Rows
		case d.newer:
			return
		case op == "read" || op == "write":
			wrong := noRowOf(load)
			d.say(wrong.What, wrong.Next)
			return
		default:
			d.say(fmt.Sprintf("%.40q is not a row of a summary", key), "copy the whole line again")
			return
		}
	}
	if len(*rows) >= mostOfData {
		return
	}
	r := Row{Key: key, Measured: true}
	for i, f := range kindOf(key).figures() {
		if i >= len(values) || values[i] == "x" {
			continue
		}
		v, err := strconv.ParseFloat(values[i], 64)
		if err != nil || !numbers.MatchString(values[i]) || !known(&v, f.most) {
			d.say(fmt.Sprintf("%s: %s: %.40q is not a possible figure", Label(key), f.header, values[i]),
				"copy the whole line again")
			continue
		}
		*f.of(&r) = &v
	}
	*rows = append(*rows, r)
}
