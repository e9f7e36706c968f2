package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes one line out of text that came from a file or a device, safe to
// print: control characters (C0, C1, DEL), terminal escape sequences and the
// characters that turn the direction of writing are left out, line breaks and
// tabs become spaces, bytes that are not UTF-8 become U+FFFD, and spaces at its
// ends are left out.
func clean(s string) string {
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
		case r == '\n' || r == '\t' || r == '\u2028' || r == '\u2029':
			b.WriteByte(' ')
		case unicode.IsControl(r), turns(r):
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimSpace(b.String())
}

// cleanLines is clean for text of several lines; empty lines at the end are left out.
func cleanLines(s string) []string {
	var lines []string
	for _, line := range strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n") {
		text := clean(line)
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
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
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

// turns says whether r changes the direction of the text around it.
func turns(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' || r == '\u200e' || r == '\u200f' || r == '\ufeff'
}

// ascii writes s with ASCII alone: the drawing characters of this package by
// their plain twins, all else as a question mark.
func ascii(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '─':
			b.WriteByte('-')
		case r == '│':
			b.WriteByte('|')
		case r == 'µ' || r == 'μ':
			b.WriteByte('u')
		case r == '×':
			b.WriteByte('x')
		case r == '≥':
			b.WriteString(">=")
		case r == '≤':
			b.WriteString("<=")
		case r == '↔':
			b.WriteString("<->")
		case r == '→':
			b.WriteString("->")
		case r == '–' || r == '—' || r == '−':
			b.WriteByte('-')
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		default:
			b.WriteByte('?')
		}
	}
	return b.String()
}

func width(s string) int { return utf8.RuneCountInString(s) }

func pad(s string, n int) string {
	if w := width(s); w < n {
		return s + strings.Repeat(" ", n-w)
	}
	return s
}

func padLeft(s string, n int) string {
	if w := width(s); w < n {
		return strings.Repeat(" ", n-w) + s
	}
	return s
}

// wrap breaks s at spaces into lines of at most n characters; a longer word has
// a line of its own, uncut, so that it can still be copied.
func wrap(s string, n int) []string {
	n = max(n, 10)
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) <= n:
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

// Wrapped are lines cut between words where they are wider than n; one that begins with "type: " stays whole, to be copied.
func Wrapped(lines []string, n int) (out []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, "type: ") {
			out = append(out, line)
			continue
		}
		out = append(out, wrap(line, n)...)
	}
	return out
}

// list joins words as people say them: "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
