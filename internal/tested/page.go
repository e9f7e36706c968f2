package tested

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/xslices"
)

// Page is docs/tested.md: one table a section, in the order of sections.
type Page struct {
	Date    time.Time // the day on which it was written
	Commit  string    // 7 to 40 hexadecimal digits
	Machine string    // on which the tests ran
	Tables  map[string][][]string
}

// section is the form of one table.
type section struct {
	title   string
	intro   string
	columns []column
	empty   string // replaces a table without rows
}

type column struct {
	name   string
	number bool
}

var sections = []section{
	{"Tests", "Subtests are not counted. " +
		"A skipped test belongs to another kind or needs what this machine does not have. " +
		"Seconds are the sum over the packages, several of which run at the same time.",
		[]column{{"command", false}, {"passed", true}, {"skipped", true}, {"seconds", true}}, "No test ran."},
	{"Fuzzing", "Each target runs for a fixed number of executions, so that a slow machine tests as much as a fast one.",
		[]column{{"package", false}, {"targets", true}, {"executions", true}}, "No fuzz target ran."},
	{"Snapshots parsed", "Real outputs of hosts and switches, each read by every parser that takes it.",
		[]column{{"collection", false}, {"outputs", true}}, "The collection of outputs was not there."},
	{"Kill points",
		"How often a program was killed or interrupted while it worked, and what it left behind was looked at.",
		[]column{{"what was killed", false}, {"points", true}}, "No kill test ran."},
	{
		"Exam",
		"Live verdicts of `./test.sh exam`. A verdict is right, wrong, or unknown; a trial that gave no verdict has " +
			"failed. [What is promised](exam.md).",
		[]column{
			{"date", false},
			{"of what", false},
			{"right", true},
			{"wrong", true},
			{"unknown", true},
			{"failed", true},
			{"the promise", false},
		},
		"No score of an exam was there.",
	},
	{"Systems on which linerate ran", "", []column{{"system", false}, {"tests", true}}, "No system was named."},
	{"Systems on which linerate never ran", "It builds for them and passes `go vet`, no more.",
		[]column{{"system", false}, {"why", false}}, ""},
}

// neverRan is the table of the last section.
var neverRan = [][]string{
	{"Windows itself", "there was no machine; linerate.exe runs under Wine"},
	{"FreeBSD", "there was no machine"},
	{"macOS", "there was no machine"},
	{"Linux on arm64", "there was no machine"},
	{"RDMA NICs", "there was none; soft RoCE and soft iWARP run in guests"},
	{"switches", "there was none; their parsers read recorded outputs"},
}

const day = "2 January 2006"

// Render writes the page.
func (p *Page) Render() string {
	var b strings.Builder
	b.WriteString("# How much is tested\n\n")
	fmt.Fprintf(&b, "Written by `./test.sh all --write` on %s, commit %s. Do not edit it by hand.\n\n",
		p.Date.Format(day), p.Commit)
	fmt.Fprintf(&b, "The machine: %s.\n", p.Machine)
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n", s.title)
		if s.intro != "" {
			b.WriteString(s.intro + "\n\n")
		}
		rows := p.Tables[s.title]
		if len(rows) == 0 {
			b.WriteString(s.empty + "\n")
			continue
		}
		names, rule := []string{}, []string{}
		for _, c := range s.columns {
			names, rule = append(names, c.name), append(rule, "---")
		}
		for _, row := range append([][]string{names, rule}, rows...) {
			b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		}
	}
	return b.String()
}

var (
	written = regexp.MustCompile(
		`^Written by .* on ([0-9]{1,2} [A-Z][a-z]+ [0-9]{4}), commit ([0-9a-f]{7,40})\. Do not edit it by hand\.$`)
	machine = regexp.MustCompile(`^The machine: (.+)\.$`)
)

// Parse reads a page that Render wrote and reports the first line that has another form.
func Parse(text string) (*Page, error) {
	p := &Page{Tables: map[string][][]string{}}
	var at *section
	for n, line := range strings.Split(text, "\n") {
		wrong := func(why string) error { return fmt.Errorf("line %d: %s: %q", n+1, why, line) }
		if m := written.FindStringSubmatch(line); m != nil {
			date, err := time.Parse(day, m[1])
			if err != nil {
				return nil, wrong("not a date")
			}
			p.Date, p.Commit = date, m[2]
		}
		if m := machine.FindStringSubmatch(line); m != nil && at == nil {
			p.Machine = m[1]
		}
		if title, ok := strings.CutPrefix(line, "## "); ok {
			if at = find(title); at == nil {
				return nil, wrong("no such section")
			}
			continue
		}
		if !strings.HasPrefix(line, "| ") || at == nil {
			continue
		}
		row := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
		if row[0] == at.columns[0].name || row[0] == "---" {
			continue
		}
		if len(row) != len(at.columns) {
			return nil, wrong(fmt.Sprintf("%d columns, not %d", len(row), len(at.columns)))
		}
		for i, c := range at.columns {
			if _, err := strconv.Atoi(strings.ReplaceAll(row[i], ",", "")); c.number && err != nil {
				return nil, wrong(c.name + " is not a whole number")
			}
		}
		p.Tables[at.title] = append(p.Tables[at.title], row)
	}
	if p.Date.IsZero() || p.Machine == "" {
		return nil, fmt.Errorf("the page does not say when, of which commit and on which machine it was written")
	}
	return p, nil
}

func find(title string) *section {
	return xslices.At(sections, func(s *section) bool { return s.title == title })
}

// Check reports whether a text has the form of a page: it is what Render makes of what Parse reads in it.
func Check(text string) error {
	p, err := Parse(text)
	if err != nil {
		return err
	}
	want := strings.Split(p.Render(), "\n")
	for i, line := range strings.Split(text, "\n") {
		if i >= len(want) || line != want[i] {
			return fmt.Errorf("line %d is not as ./test.sh all --write writes it: %q", i+1, line)
		}
	}
	return nil
}

// count writes a whole number with commas between thousands.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
