package diag

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Text is the text of a file. Problems quote lines of it.
type Text struct {
	Name  string
	Bytes []byte
	Lines []string // as the YAML library counts them

	last      int // the line that lastRunes are of
	lastRunes []rune
}

// Reads describes the files that linerate accepts of one kind.
type Reads struct {
	Files   string // "fabric files"
	Most    int    // bytes
	TooMuch string // what to do with a file that is larger
	Depth   int    // levels of values in each other
	Needs   string // "a fabric needs eight"
}

// New makes a Text of a file's bytes. name is what problems call the file.
func New(name string, text []byte) *Text {
	return &Text{Name: name, Bytes: text, Lines: splitLines(string(bytes.TrimPrefix(text, []byte("\ufeff"))))}
}

// Place completes a problem with its file, place and line. A place outside the file becomes the nearest one in it.
func (t *Text) Place(at At, p Problem) *Problem {
	p.File = t.Name
	p.Line = min(max(at.Line, 1), max(len(t.Lines), 1))
	line := t.shown(p.Line)
	p.Col = min(max(at.Col, 1), len(line)+1)
	p.text, p.caret = snippet(line, p.Col, token(line, p.Col))
	return &p
}

func (t *Text) line(n int) string {
	if n < 1 || n > len(t.Lines) {
		return ""
	}
	return t.Lines[n-1]
}

// shown returns a line without its passwords.
func (t *Text) shown(n int) []rune {
	if t.last != n || t.lastRunes == nil {
		t.last, t.lastRunes = n, []rune(hideSecrets(t.line(n)))
	}
	return t.lastRunes
}

// Char returns the character at a place, 0 past the end of its line.
func (t *Text) Char(at At) rune {
	if r := []rune(t.line(at.Line)); at.Col >= 1 && at.Col <= len(r) {
		return r[at.Col-1]
	}
	return 0
}

var secretForm = regexp.MustCompile(`(?i)(?:login|password|passwd|passphrase|secret|token)["']?\s*:\s*(.+)`)

// secretURL is the password in an address, USER:PASSWORD@HOST.
var secretURL = regexp.MustCompile(`//[^/@\s:]*:([^/@\s]+)@`)

// hideSecrets masks passwords in the file, because the line goes to a terminal or a log. References (env:NAME) stay.
func hideSecrets(line string) string {
	line = secretURL.ReplaceAllStringFunc(line, func(u string) string {
		i := strings.Index(u[2:], ":") + 3
		return u[:i] + strings.Repeat("*",
			utf8.RuneCountInString(u[i:len(u)-1])) + "@" // as many, so that the caret stays in its place
	})
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

// splitLines cuts where the YAML library counts lines, including at a lone CR and at the Unicode line ends.
func splitLines(s string) []string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace(s)
	return strings.Split(s, "\n")
}

// Check finds errors that the parser describes badly: in size, encoding and control characters. It returns nil for a
// text that can be parsed.
func (t *Text) Check(r Reads) *Problem {
	const subject = WholeFile
	if len(t.Bytes) > r.Most {
		// one message needs none of its lines
		t.Lines, t.lastRunes = []string{""}, nil
		return t.Place(At{1, 1}, Problem{ID: TooLarge, Subject: subject,
			Message: fmt.Sprintf("the file has %d bytes", len(t.Bytes)),
			Limit:   fmt.Sprintf("linerate reads %s of up to %d bytes", r.Files, r.Most), Fix: r.TooMuch})
	}
	if bytes.HasPrefix(t.Bytes, []byte{0xff, 0xfe}) || bytes.HasPrefix(t.Bytes, []byte{0xfe, 0xff}) {
		t.Lines, t.lastRunes = []string{""}, nil
		return t.Place(At{1, 1}, Problem{ID: FileEncoding, Subject: subject, Message: "the file is UTF-16",
			Limit: "linerate reads UTF-8",
			Fix:   "save it as UTF-8 (in Notepad: Save as, Encoding)"})
	}
	for i, line := range t.Lines {
		at := At{i + 1, 0}
		for rest := line; rest != ""; {
			c, n := utf8.DecodeRuneInString(rest)
			at.Col++
			switch {
			case c == utf8.RuneError && n == 1:
				return t.Place(at, Problem{ID: FileEncoding, Subject: subject,
					Message: fmt.Sprintf("byte 0x%02X is not UTF-8", rest[0]),
					Limit:   "linerate reads UTF-8", Fix: "save the file as UTF-8 in your editor"})
			case c < 0x20 && c != '\t', c == 0x7f, c > 0x7f && c < 0xa0, c == 0xfffe, c == 0xffff:
				return t.Place(at, Problem{ID: FileEncoding, Subject: subject,
					Message: fmt.Sprintf("the file has a control character (U+%04X)", c),
					Limit:   "YAML allows only tab and line ends",
					Fix:     "delete it (a hex viewer shows it if your editor does not)"})
			}
			rest = rest[n:]
		}
	}
	return nil
}
