package summary

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"linerate/internal/report/format"
)

// Bounds of what comes from files and devices, in characters.
const (
	longWord = 60 // a word: with its indentation it fits a line
	longName = 120
	longText = 600
)

// plainText makes one line of ASCII from a text of a file or a device. It cannot break any form that a summary is
// pasted in: it has no control or escape sequences, changes of direction, backtick fences, or closing tags. A character
// without an ASCII equivalent becomes a question mark.
func plainText(s string, most int) string {
	out := format.ASCII(strings.NewReplacer("`", "'", "│", "?").Replace(tidy(s, longText)))
	if strings.ContainsAny(out, "[<") {
		out = tags.ReplaceAllStringFunc(out, func(tag string) string { return "(" + tag[1:len(tag)-1] + ")" })
	}
	// [/code] ends a block of a forum; an arrow as HTML has it would be read back as one.
	return tidy(strings.ReplaceAll(strings.ReplaceAll(out, "[/", "(/"), "-&gt;", "->"), most)
}

// tidy makes one line of text without terminal control and changes of direction, with one space between words, and with
// words and text of bounded length.
func tidy(s string, most int) string {
	s = strings.ToValidUTF8(s, "?")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = shorten(w, longWord)
	}
	return shorten(strings.Join(words, " "), most)
}

// shorten cuts a text at this many characters, and marks the cut.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:most-2]), " .") + ".."
}

// field makes a text safe between semicolons.
func field(s string, most int) string { return strings.ReplaceAll(plainText(s, most), ";", ",") }

// wrap breaks a text into lines of at most Width columns, all but the first two to the right. No word is longer than
// longWord.
func wrap(s string) []string {
	var out []string
	line := ""
	for _, w := range strings.Fields(s) {
		switch {
		case line == "":
			line = w
		case len(line)+1+len(w) <= Width:
			line += " " + w
		default:
			out = append(out, line)
			line = "  " + w
		}
	}
	return append(out, line)
}
