package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// apart are the blanks within a quantity, at which no line of prose may end.
var apart = regexp.MustCompile(
	`(\d) ([kMGT] )?(%|(?:IOPS|[kMGT]?b/s|[kMGT]?B/s|[KMG]iB|B|us|ms|ns|s|cores?|streams?)\b)`,
)

// Unbroken keeps numbers and their units on one line.
func Unbroken(s string) string {
	return apart.ReplaceAllStringFunc(s, func(m string) string { return strings.ReplaceAll(m, " ", "\u00a0") })
}

// PlainArrows writes a path as the terminal does.
func PlainArrows(s string) string {
	return strings.NewReplacer(" → ", " -> ", " ↔ ", " <-> ").Replace(s)
}

// Write encodes a value as JSON before it writes, so that one that JSON cannot represent (NaN) leaves no partial
// object.
func Write(w io.Writer, kind string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("report: the %s cannot be written as JSON: %w", kind, err)
	}
	if _, err := w.Write(append(EscapeControls(b), '\n')); err != nil {
		return fmt.Errorf("report: the %s's JSON could not be written: %w", kind, err)
	}
	return nil
}

// EscapeControls writes the characters that Clean removes, where JSON allows them bare (C1, DEL, directions of
// writing), as \uXXXX: the same JSON, safe to print.
func EscapeControls(b []byte) []byte {
	var out []byte
	from := 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r >= 0x7f && (unicode.IsControl(r) || Turns(r)) {
			out = fmt.Appendf(append(out, b[from:i]...), "\\u%04x", r)
			from = i + n
		}
		i += n
	}
	return append(out, b[from:]...)
}

// Arrows writes a path for a page, which always has the character.
func Arrows(s string) string {
	return strings.NewReplacer(" -> ", " → ", " <-> ", " ↔ ").Replace(s)
}

// Clean makes one line of text from a file or a device, safe to print: control characters (C0, C1, DEL), terminal
// escape sequences and the characters that turn the direction of writing are removed, line breaks and tabs become
// spaces, bytes that are not UTF-8 become U+FFFD, and spaces at its ends are removed.
func Clean(s string) string {
	if plain(s) {
		return strings.TrimSpace(s)
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := sequence(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == '\uFFFE' || r == '\uFFFF': // no characters; XML, and so a drawing, may not have them
			b.WriteRune('\uFFFD')
		case r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029':
			b.WriteByte(' ')
		case unicode.IsControl(r), Turns(r):
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// CleanLines is Clean for text of several lines. Empty lines at the end are removed.
func CleanLines(s string) []string {
	var lines []string
	for _, line := range strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
		text := Clean(line)
		if text != "" {
			text = line[:len(line)-len(strings.TrimLeft(line, " "))] + text
		}
		lines = append(lines, text)
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f })
}

// sequence returns the length of the control sequence (ESC [ or C1 CSI, then
// parameters and a final byte) that s starts with, or 0.
func sequence(s string) int {
	n := 0
	switch {
	case strings.HasPrefix(s, "\x1b["):
		n = 2
	case strings.HasPrefix(s, "\u009b"):
		n = len("\u009b")
	default:
		return 0
	}
	for i := n; i < len(s) && i < 64; i++ {
		if s[i] >= 0x40 && s[i] <= 0x7e {
			return i + 1
		}
		if s[i] < 0x20 || s[i] > 0x3f {
			break
		}
	}
	return n
}

// Turns reports whether r changes the direction of the text around it.
func Turns(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u200e' || r == '\u200f' ||
		r == '\ufeff'
}

// inASCII are the drawing characters and signs of this program in ASCII.
var inASCII = map[rune]string{'─': "-", '│': "|", 'µ': "u", 'μ': "u", '×': "x", '≥': ">=", '≤': "<=", '↔': "<->",
	'→': "->", '–': "-", '—': "-", '−': "-"}

// ASCII converts s to ASCII. A character without an equivalent becomes a question mark.
func ASCII(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteString(cmp.Or(inASCII[r], "?"))
		}
	}
	return b.String()
}

// Width returns the number of columns of a text.
func Width(s string) int { return utf8.RuneCountInString(s) }

// Pad fills a text with spaces on its right to n columns.
func Pad(s string, n int) string {
	if w := Width(s); w < n {
		return s + strings.Repeat(" ", n-w)
	}
	return s
}

// PadLeft fills a text with spaces on its left to n columns.
func PadLeft(s string, n int) string {
	if w := Width(s); w < n {
		return strings.Repeat(" ", n-w) + s
	}
	return s
}

// Wrap breaks s at spaces into lines of at most n characters; a longer word has
// a line of its own, uncut, so that it can still be copied.
func Wrap(s string, n int) []string {
	n = max(n, 10)
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case Width(line)+1+Width(word) <= n:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Wrapped returns lines broken between words where they are wider than n. One that begins with "type: " stays whole, to
// be copied.
func Wrapped(lines []string, n int) (out []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, "type: ") {
			out = append(out, line)
			continue
		}
		out = append(out, Wrap(line, n)...)
	}
	return out
}

// Command joins the words of a command line, quoted for a shell.
func Command(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		w = Clean(w)
		if i == 0 && strings.Contains(w, "go-build") { // from go run: it no longer exists
			w = strings.TrimSuffix(w[strings.LastIndexAny(w, `/\\`)+1:], ".exe")
		}
		if w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-") != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		out[i] = w
	}
	return strings.Join(out, " ")
}
