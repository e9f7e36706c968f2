package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// The form of docs/tutorials, which docs/design/tutorials.md describes. Each mark is a line that readers see.
const (
	markMeasured = "# measured: every figure differs from run to run"
	markReal     = "# needs the real machines: not run by the test"
	markLong     = "# takes minutes: not run by the test"
	leftOut      = ".."
)

// A fence is a fenced block of a tutorial.
type fence struct {
	file  string // of the tutorial
	line  int    // of the first line inside
	kind  string // console, yaml, diff, text
	name  string // after the kind: the file in which a reader saves it
	lines []string
}

// A step is a command line of a console block with its output.
type step struct {
	at       string
	command  string
	shown    []string
	measured bool
	unrun    bool
}

// fences finds the fenced blocks of a document.
func fences(file, text string) (out []fence, err error) {
	var b *fence
	for i, line := range strings.Split(text, "\n") {
		info, is := strings.CutPrefix(line, "```")
		switch {
		case is && b == nil:
			kind, name, _ := strings.Cut(info, " ")
			b = &fence{file: file, line: i + 2, kind: kind, name: name}
		case is && info == "":
			out, b = append(out, *b), nil
		case b != nil:
			b.lines = append(b.lines, line)
		}
	}
	if b != nil {
		return nil, fmt.Errorf("%s:%d: the block has no end", file, b.line)
	}
	return out, nil
}

// steps are the command lines of a console block.
func (b fence) steps() (out []step, err error) {
	measured, unrun := false, false
	for i, line := range b.lines {
		at := fmt.Sprintf("%s:%d", b.file, b.line+i)
		command, is := strings.CutPrefix(line, "$ ")
		switch {
		case line == markMeasured && i == 0:
			measured = true
		case (line == markReal || line == markLong) && i == 0:
			unrun = true
		case is:
			out = append(out, step{at: at, command: command, measured: measured, unrun: unrun})
		case len(out) == 0:
			return nil, fmt.Errorf("%s: %q stands before the first command", at, line)
		default:
			out[len(out)-1].shown = append(out[len(out)-1].shown, line)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s:%d: the block has no command", b.file, b.line)
	}
	return out, nil
}

var (
	anyFigure = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)
	// A busy machine makes of 134 us a millisecond: of a unit the quantity is compared.
	timeUnit = regexp.MustCompile(`^(ns|us|ms|s|min)([,;.]?)$`)
	rateUnit = regexp.MustCompile(`^([kMGT]?)b/s([,;.]?)$`)
	bars     = regexp.MustCompile(`[█▉▊▋▌▍▎▏│ ]*[█▉▊▋▌▍▎▏│]`)
)

// pattern is the pattern of the first n lines of a step's shown output. A line of two dots is any number of lines, two
// dots inside a line are any text.
func (s step) pattern(n int) (*regexp.Regexp, error) {
	var p strings.Builder
	p.WriteString(`\A`)
	for i := 0; i < n; i++ {
		line := s.shown[i]
		if strings.TrimSpace(line) == leftOut {
			p.WriteString(`(?:.*\n)*?`)
			continue
		}
		if s.result(i) {
			p.WriteString(`(?:.*\n)*?`)
			continue
		}
		if more := s.judgement(i); more > 0 {
			word, _, _ := strings.Cut(line, " ")
			p.WriteString(regexp.QuoteMeta(word) + `(?: .*)?\n(?:.+\n)*?`)
			i += more - 1
			continue
		}
		for i, part := range strings.Split(strings.TrimRight(line, " "), leftOut) {
			if i > 0 {
				p.WriteString(`.*`)
			}
			if s.measured {
				part = loosely(part)
			} else {
				part = regexp.QuoteMeta(part)
			}
			p.WriteString(part)
		}
		// A figure of another width breaks the text of a line elsewhere.
		switch {
		case s.measured && i+1 < len(s.shown) && strings.TrimSpace(s.shown[i+1]) == leftOut:
			p.WriteString(`(?: .*)?\n`)
		case s.measured && i+1 < len(s.shown) && strings.HasPrefix(s.shown[i+1], "  "):
			p.WriteString(` *\n?`)
		default:
			p.WriteString(` *\n`)
		}
	}
	return regexp.Compile(p.String())
}

var (
	measuredFigure = regexp.MustCompile(`[0-9] (?:[kMGT]?b/s|[kMGT]?i?B/s|ns|us|ms|s|min|%)(?:[ ,;.)]|$)|[0-9]\.[0-9]{3} `)
	columnGap      = regexp.MustCompile(`\.\.|  +`)
)

// result reports whether a line has measured figures. Which rows a result has, which columns and in what order depends
// on what the machine measured, so the texts of such a line are looked for anywhere in the output (columns).
func (s step) result(i int) bool {
	if !s.measured {
		return false
	}
	for ; i >= 0; i-- {
		line := strings.TrimSpace(s.shown[i])
		if strings.Contains(line, "  ") && measuredFigure.MatchString(line) {
			return true
		}
		if line == leftOut || !strings.HasPrefix(s.shown[i], "  ") {
			return false
		}
	}
	return false
}

// columns are the patterns of the texts of a result line, each of them without the line's order.
func columns(line string) (out []*regexp.Regexp) {
	for _, text := range columnGap.Split(line, -1) {
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, regexp.MustCompile(`(?m)(?:^|\s)`+loosely(text)))
		}
	}
	return out
}

// judgement is the number of lines of a paragraph of sentences that begins at a line: it judges what was measured.
func (s step) judgement(i int) int {
	ends := func(i int) bool {
		return i < 0 || i >= len(s.shown) || strings.TrimSpace(s.shown[i]) == "" || strings.TrimSpace(s.shown[i]) == leftOut
	}
	if !s.measured || !ends(i-1) || ends(i) || s.shown[i][0] < 'A' || s.shown[i][0] > 'Z' {
		return 0
	}
	n := 1
	for !ends(i + n) {
		n++
	}
	if last := s.shown[i+n-1]; !strings.HasSuffix(last, ".") || strings.HasSuffix(last, leftOut) {
		return 0
	}
	return n
}

// loosely is a line with a place for each figure and for whether a goal is met, and any width or a new line between
// words.
func loosely(text string) string {
	if strings.HasPrefix(text, "goals ") {
		return `goals .*`
	}
	text = bars.ReplaceAllString(text, " │")
	words := strings.Fields(text)
	for i, w := range words {
		switch {
		case timeUnit.MatchString(w):
			words[i] = `(?:ns|us|ms|s|min(?: [0-9]+ s)?)` + regexp.QuoteMeta(timeUnit.FindStringSubmatch(w)[2])
		case rateUnit.MatchString(w):
			words[i] = `[kMGT]?b/s` + regexp.QuoteMeta(rateUnit.FindStringSubmatch(w)[2])
		case w == "met":
			words[i] = `(?:met|missed)`
		case w == "│":
			words[i] = `[█▉▊▋▌▍▎▏│ ]*│`
		default:
			words[i] = anyFigure.ReplaceAllString(regexp.QuoteMeta(anyFigure.ReplaceAllString(w, "0")), `[0-9]+(?:\.[0-9]+)?`)
		}
	}
	out := strings.Join(words, `(?: +|\n +)`)
	if strings.HasPrefix(text, " ") {
		out = ` +` + out
	}
	if strings.HasSuffix(text, " ") && len(words) > 0 {
		out += ` *`
	}
	return out
}

// check compares what a command printed with what the tutorial shows of it.
func (s step) check(printed string) error {
	var lines strings.Builder
	for line := range strings.Lines(printed) {
		lines.WriteString(strings.TrimRight(line, " \n"))
		lines.WriteString("\n")
	}
	for i, line := range s.shown {
		if !s.result(i) {
			continue
		}
		for _, p := range columns(line) {
			if !p.MatchString(lines.String()) {
				return fmt.Errorf("%s: $ %s\nprints nowhere %s, of the tutorial's line\n%s\nit prints:\n%s", s.at, s.command, p,
					line, lines.String())
			}
		}
	}
	for n := 1; n <= len(s.shown); n++ {
		p, err := s.pattern(n)
		if err != nil {
			return fmt.Errorf("%s: %w", s.at, err)
		}
		if !p.MatchString(lines.String()) {
			return fmt.Errorf("%s: $ %s\ndoes not print, where the tutorial shows it:\n%s\nit prints:\n%s", s.at, s.command,
				s.shown[n-1], lines.String())
		}
	}
	if lines.Len() > 0 && !slices.ContainsFunc(s.shown, func(l string) bool { return strings.TrimSpace(l) != leftOut }) {
		return fmt.Errorf("%s: $ %s: of what it prints the tutorial shows nothing:\n%s", s.at, s.command, lines.String())
	}
	if len(s.shown) == 0 || strings.TrimSpace(s.shown[len(s.shown)-1]) == leftOut {
		return nil
	}
	p, err := s.pattern(len(s.shown))
	if err != nil {
		return err
	}
	if m := p.FindString(lines.String()); len(m) < len(lines.String()) {
		whole := regexp.MustCompile(p.String() + `\z`)
		if !whole.MatchString(lines.String()) {
			return fmt.Errorf("%s: $ %s\nprints more than the tutorial shows, and no %q says so:\n%s", s.at, s.command,
				leftOut, lines.String())
		}
	}
	return nil
}

// edit makes the changes of a diff block: of every run of lines, those with - or a space must be there once, and become
// those with + or a space.
func edit(text string, lines []string) (string, error) {
	var was, is []string
	change := func() error {
		if len(was) == 0 && len(is) == 0 {
			return nil
		}
		from, to := strings.Join(was, "\n")+"\n", strings.Join(is, "\n")+"\n"
		if n := strings.Count("\n"+text, "\n"+from); n != 1 || len(was) == 0 {
			return fmt.Errorf("the file has %d times, not once:\n%s", n, from)
		}
		text = strings.TrimPrefix(strings.Replace("\n"+text, "\n"+from, "\n"+to, 1), "\n")
		was, is = nil, nil
		return nil
	}
	for _, line := range lines {
		if line == leftOut {
			if err := change(); err != nil {
				return "", err
			}
			continue
		}
		sign, rest := " ", ""
		if line != "" {
			sign, rest = line[:1], line[1:]
		}
		switch sign {
		case "-":
			was = append(was, rest)
		case "+":
			is = append(is, rest)
		default:
			was, is = append(was, rest), append(is, rest)
		}
	}
	return text, change()
}

// excerpt reports whether the lines of a block are lines of a file, in its order.
func excerpt(text string, lines []string) error {
	rest := strings.Split(text, "\n")
	for _, line := range lines {
		if strings.TrimSpace(line) == leftOut || strings.TrimSpace(line) == "" {
			continue
		}
		i := 0
		for i < len(rest) && rest[i] != line {
			i++
		}
		if i == len(rest) {
			return fmt.Errorf("the file does not have, in this order, %q", line)
		}
		rest = rest[i+1:]
	}
	return nil
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every relative link of a document leads to a file or folder that is there, and to a heading where it names one.
func TestLinksOfTheDocuments(t *testing.T) {
	var names []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "tools/bench/*.md"} {
		found := testenv.Must(filepath.Glob(filepath.Join(root, pattern)))(t)
		names = append(names, found...)
	}
	links := 0
	for _, name := range names {
		text := testenv.Must(os.ReadFile(name))(t)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			links++
			if err := leads(name, string(text), m[1]); err != nil {
				t.Errorf("%s: link %s: %v", name, m[1], err)
			}
		}
	}
	if links < 20 {
		t.Errorf("only %d links in all documents", links)
	}
}

// leads says where a link of a document does not lead to.
func leads(from, text, link string) error {
	path, heading, named := strings.Cut(link, "#")
	if path != "" {
		to := filepath.Join(filepath.Dir(from), filepath.FromSlash(path))
		b, err := os.ReadFile(to)
		if err != nil {
			if _, err := os.Stat(to); err != nil {
				return fmt.Errorf("no such file")
			}
		}
		text = string(b)
	}
	if !named {
		return nil
	}
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line && anchor(title) == heading {
			return nil
		}
	}
	return fmt.Errorf("no such heading")
}

// anchor is the name that a heading has in links: in small letters, a dash for each space, without other signs.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127:
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSpace(title)))
}

// The form itself: what matches, and what does not.
func TestFormOfTutorials(t *testing.T) {
	for _, c := range []struct {
		shown, printed string
		measured, good bool
	}{
		{"a\nb", "a\nb\n", false, true},
		{"a\nb", "a\nc\nb\n", false, false},
		{"a\n..\nb", "a\nc\nd\nb\n", false, true},
		{"a", "a\nb\n", false, false},
		{"a\n..", "a\nb\n", false, true},
		{"..", "a\nb\n", false, false},
		{"12.0 Gb/s", "12.1 Gb/s\n", false, false},
		{"carries 12.0 Gb/s", "carries   930 Mb/s\n", true, true},
		{"carries 12.0 Gb/s", "carries 12.1 us\n", true, false},
		{"n1 -> n2  19.6 us  109 us", "n1 -> n2  1.02 ms  2 ms\n", true, true},
		{"n1 -> n2  19.6 us  109 us", "n1 -> n3  1.02 ms  2 ms\n", true, true}, // the digit of a name is a figure, too
		{"n1 -> n2  19.6 us  109 us", "n1 -> n2  not known  no more\n", true, false},
		{"desk -> nas  753 Mb/s  ███████│  100 %  ..", "desk -> nas   1.20 Gb/s  ██▊    │  31.6 %  unexplained\n", true,
			true},
		{"desk -> nas  753 Mb/s  ███████│  100 %  the link", "desk -> nas   1.20 Gb/s  ██▊    │  31.6 %  unexplained\n",
			true, false},
		{"  ceiling  100 % of yours; that is 61.8 %\n..\nb",
			"  ceiling  99.8 % of yours; that is\n  61.8 % of another\nb\n", true, true},
		{"  ceiling  100 % of yours; that\n  is 61.8 %\nb", "  ceiling  99.8 % of yours;\n  that is 61.8 %\nb\n", true, true},
		{"  ceiling  100 % of yours; that\n  is 61.8 %\nb", "  ceiling  99.8 % of yours;\n  this is 61.8 %\nb\n", true,
			false},
		{"a 1\nb", "a 1 c\nb\n", true, false},
		{"With 2, it would carry\n3 Gb/s.\n..", "With 2, it would stay\nat 2 Gb/s, because\nof this.\n\nmore\n", true, true},
		{"With 2, it would carry\n3 Gb/s.\n..", "Without 2\n", true, false},
		{"With 2, it would carry\n3 Gb/s.\n..", "With 2, it would stay.\n", false, false},
		{"goals  2 met\n  met  a  >= 2G: 3 Gb/s", "goals  1 met, 1 missed\n  missed  a  >= 2G: 300 Mb/s\n", true, true},
		{"goals  2 met\n  met  a  >= 2G: 3 Gb/s", "goals  1 met, 1 missed\n  not known  a  >= 2G\n", true, false},
		{"lab ..: up in 592 ms", "lab 5f8e: up in 1.2 s\n", true, true},
		{"lab ..: up in 592 ms, 1/100 scale", "lab 5f8e: up in 1.2 s, 1/100 scale\n", true, true},
		{"at 940 Mb/s, 5 ms; late", "at 1.2 Gb/s, 1.2 s; late\n", true, true},
		{"sum  2 tests, 9 s\n..", "sum  2 tests, 1 min 02 s\nmore\n", true, true},
		// A busy machine gives a link a row of its own, in another order.
		{"link\n..  a -> b  3 Gb/s  ..\n..  b -> a  3 Gb/s\nend",
			"link\nb -> a  300 Mb/s  unreliable\na -> b  1 Gb/s\nend\n", true, true},
		{"link\n..  a -> b  3 Gb/s  ..\nend", "link\nb -> a  300 Mb/s  unreliable\nend\n", true, false},
	} {
		s := step{shown: strings.Split(c.shown, "\n"), measured: c.measured}
		if err := s.check(c.printed); (err == nil) != c.good {
			t.Errorf("%q of %q: %v", c.shown, c.printed, err)
		}
	}
	if got, err := edit("a\nb\nc\n", []string{" a", "-b", "+B"}); err != nil || got != "a\nB\nc\n" {
		t.Errorf("%q, %v", got, err)
	}
	for _, wrong := range [][]string{{"-x", "+B"}, {"+B"}, {"-"}} {
		if got, err := edit("a\nb\nc\n", wrong); err == nil {
			t.Errorf("%q gives %q", wrong, got)
		}
	}
	if err := excerpt("a\nb\nc\n", []string{"b", "a"}); err == nil {
		t.Error("lines in another order are not an excerpt")
	}
}
