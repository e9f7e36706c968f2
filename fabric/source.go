package fabric

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// What a file may have. A fabric of 1000 hosts written out is some 200 KiB.
const (
	maxFile  = 1 << 20
	maxDepth = 40
	maxNodes = 200_000 // values, anchors counted as often as they are used
)

// source is the text of a file with its problems.
type source struct {
	name     string
	text     []byte
	lines    []string
	problems Problems
	seen     map[string]bool

	work      int  // what ranges and variants have cost so far
	calls     int  // of add
	stopped   bool // too much of either: a problem says so
	last      int  // the line that lastRunes are of
	lastRunes []rune
}

func newSource(name string, text []byte) *source {
	s := &source{name: name, text: text, seen: map[string]bool{}}
	s.lines = splitLines(string(bytes.TrimPrefix(text, []byte("\ufeff"))))
	return s
}

// splitLines cuts where the YAML library counts lines: also at a lone CR and at
// the Unicode line ends.
func splitLines(s string) []string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(s)
	return strings.Split(s, "\n")
}

// What a file that is wrong on purpose can cost: problems kept, problems found,
// and values that ranges and variants stand for.
const (
	maxProblems = 1000
	maxCalls    = 5000
	maxWork     = 2_000_000
)

// stop ends the decoding where a limit was passed that a problem names.
func (s *source) stop() { s.stopped = true }

// charge counts work at a place. It returns false when there was too much.
func (s *source) charge(at At, n int) bool {
	s.work += n
	if s.work > maxWork && !s.stopped {
		s.stopped = true
		s.add(at, Problem{Subject: "the file", Message: fmt.Sprintf("its ranges and variants stand for more than %d values up to here", maxWork),
			Limit: "linerate's limit against files that grow without end", Fix: "shorten the ranges, or split the file"})
	}
	return !s.stopped
}

// add keeps a problem. Names of one range differ by their digits only, so equal
// problems of the same place that differ only there are one.
func (s *source) add(at At, p Problem) {
	if s.calls++; s.calls > maxCalls {
		s.stopped = true
		return
	}
	p.File = s.name
	p.Line = min(max(at.Line, 1), max(len(s.lines), 1))
	line := s.shown(p.Line)
	p.Col = min(max(at.Col, 1), len(line)+1)
	key := fmt.Sprintf("%d:%d:%s", p.Line, p.Col, withoutDigits(p.Message))
	if s.seen[key] || len(s.problems) >= maxProblems {
		return
	}
	s.seen[key] = true
	p.text, p.caret = snippet(line, p.Col)
	s.problems = append(s.problems, &p)
}

func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	return s.lines[n-1]
}

// shown is a line as it may be shown.
func (s *source) shown(n int) []rune {
	if s.last != n || s.lastRunes == nil {
		s.last, s.lastRunes = n, []rune(hideSecrets(s.line(n)))
	}
	return s.lastRunes
}

// char returns the character at a place, 0 past the end of its line.
func (s *source) char(at At) rune {
	if r := []rune(s.line(at.Line)); at.Col >= 1 && at.Col <= len(r) {
		return r[at.Col-1]
	}
	return 0
}

var secretForm = regexp.MustCompile(`(?i)(?:login|password|passwd|passphrase|secret|token)["']?\s*:\s*(.+)`)

// hideSecrets makes a password unreadable that somebody wrote into the file: the
// line is going to a terminal or a log. References (env:NAME) stay.
func hideSecrets(line string) string {
	m := secretForm.FindStringSubmatchIndex(line)
	if m == nil || strings.HasPrefix(strings.Trim(line[m[2]:m[3]], `"'`), "env:") {
		return line
	}
	end := m[3]
	if strings.Contains(line[:m[2]], "{") {
		if i := strings.IndexAny(line[m[2]:end], ",}"); i >= 0 {
			end = m[2] + i
		}
	}
	return line[:m[2]] + strings.Repeat("*", utf8.RuneCountInString(line[m[2]:end])) + line[end:]
}

func withoutDigits(s string) string {
	var b strings.Builder
	last := byte(0)
	for i := range len(s) {
		c := s[i]
		if c >= '0' && c <= '9' {
			c = '#'
		}
		if c != '#' || last != '#' {
			b.WriteByte(c)
		}
		last = c
	}
	return b.String()
}

// checkText looks for what can be said better before parsing: size, encoding
// and control characters. It says whether the text can be parsed.
func (s *source) checkText() bool {
	const subject = "the file"
	if len(s.text) > maxFile {
		// its lines are not worth keeping for one message
		s.lines = []string{""}
		s.add(At{1, 1}, Problem{Subject: subject, Message: fmt.Sprintf("it has %d bytes", len(s.text)),
			Limit: fmt.Sprintf("linerate reads fabric files of up to %d bytes", maxFile),
			Fix:   "is it the right file? ranges such as n[1-64] describe many equal hosts in one entry"})
		return false
	}
	if bytes.HasPrefix(s.text, []byte{0xff, 0xfe}) || bytes.HasPrefix(s.text, []byte{0xfe, 0xff}) {
		s.lines = []string{""}
		s.add(At{1, 1}, Problem{Subject: subject, Message: "it is UTF-16", Limit: "linerate reads UTF-8", Fix: "save it as UTF-8 (in Notepad: Save as, Encoding)"})
		return false
	}
	at := At{1, 1}
	for i, line := range s.lines {
		at = At{i + 1, 0}
		for rest := line; rest != ""; {
			r, n := utf8.DecodeRuneInString(rest)
			at.Col++
			switch {
			case r == utf8.RuneError && n == 1:
				s.add(at, Problem{Subject: subject, Message: fmt.Sprintf("byte 0x%02X is not UTF-8", rest[0]), Limit: "linerate reads UTF-8", Fix: "save the file as UTF-8 in your editor"})
				return false
			case r < 0x20 && r != '\t', r == 0x7f, r > 0x7f && r < 0xa0, r == 0xfffe, r == 0xffff:
				s.add(at, Problem{Subject: subject, Message: fmt.Sprintf("there is a control character (U+%04X)", r), Limit: "YAML allows only tab and line ends", Fix: "delete it; a hex viewer shows it if your editor does not"})
				return false
			}
			rest = rest[n:]
		}
	}
	return true
}
