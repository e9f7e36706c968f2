package diag

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"linerate/internal/base/xslices"
)

// Columns of a snippet on a terminal of 80, without the number of its line, and of a tab in it.
const (
	snippetWidth = 72
	tabWidth     = 4
)

// character is one character as a terminal shows it.
type character struct {
	text  string
	width int
}

// snippet returns a line fit for a terminal, and a line with carets under count characters from col (from 1; one past
// the end is allowed). Long lines are cut around the first caret.
func snippet(line []rune, col, count int) (text, caret string) {
	const far = 3 * snippetWidth // no character further away is shown
	cut := max(0, col-far)
	line, col = line[cut:min(len(line), col+far)], col-cut
	var shown []character
	caretAt, x := -1, 0
	for i, r := range line {
		c := character{string(r), width(r)}
		switch {
		case r == '\t':
			n := tabWidth - x%tabWidth
			c = character{strings.Repeat(" ", n), n}
		case !unicode.IsPrint(r):
			v := Visible(string(r))
			c = character{v, len(v)}
		}
		if i+1 == col {
			caretAt = len(shown)
		}
		shown = append(shown, c)
		x += c.width
	}
	if caretAt < 0 {
		caretAt = len(shown)
	}
	from, to := excerpt(shown, caretAt)
	var b strings.Builder
	before, under := 0, 0
	if from > 0 {
		b.WriteString(dots)
		before = len(dots)
	}
	for i := from; i < to; i++ {
		b.WriteString(shown[i].text)
		switch {
		case i < caretAt:
			before += shown[i].width
		case i < caretAt+count:
			under += shown[i].width
		}
	}
	if to < len(shown) {
		b.WriteString(dots)
	}
	return b.String(), strings.Repeat(" ", before) + strings.Repeat("^", max(under, 1))
}

// dots replace what was cut from a line.
const dots = "..."

// token returns how many characters the value has that begins at col: up to its closing quote, to the next mark of
// YAML, or to the end of the line.
func token(line []rune, col int) int {
	if col < 1 || col > len(line) {
		return 1
	}
	rest := line[col-1:]
	first := rest[0]
	if first == '"' || first == '\'' {
		if end := slices.Index(rest[1:], first); end >= 0 {
			return end + 2
		}
	}
	if strings.ContainsRune("{}[],", first) {
		return 1
	}
	open := 0 // brackets that are open before col
	for _, r := range line[:col-1] {
		switch r {
		case '{', '[':
			open++
		case '}', ']':
			open--
		}
	}
	end := len(rest)
	for i, r := range rest {
		next := ' '
		if i+1 < len(rest) {
			next = rest[i+1]
		}
		if open > 0 && strings.ContainsRune(",}]", r) || r == ':' && next == ' ' || r == ' ' && next == '#' {
			end = i
			break
		}
	}
	return max(1, utf8.RuneCountInString(strings.TrimRight(string(rest[:end]), " \t\r")))
}

// excerpt chooses the characters to show: all, or those around the caret.
func excerpt(all []character, caret int) (from, to int) {
	total := xslices.Sum(all, func(c character) int { return c.width })
	if total <= snippetWidth {
		return 0, len(all)
	}
	room := snippetWidth - 2*len(dots)
	from, to = caret, caret
	for most := room / 2; from > 0 && all[from-1].width <= most; from-- {
		most -= all[from-1].width
		room -= all[from-1].width
	}
	for ; to < len(all) && all[to].width <= room; to++ {
		room -= all[to].width
	}
	for ; from > 0 && all[from-1].width <= room; from-- {
		room -= all[from-1].width
	}
	return from, to
}

// Width returns the number of columns of a text on a terminal.
func Width(s string) int {
	return xslices.Sum([]rune(s), width)
}

// width returns the number of columns of a character on a terminal: 0 for combining marks, 2 for East Asian wide
// characters and emoji.
func width(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115f, // Hangul Jamo
		r >= 0x2e80 && r <= 0x303e, r >= 0x3041 && r <= 0x33ff, // CJK signs, kana
		r >= 0x3400 && r <= 0x4dbf, r >= 0x4e00 && r <= 0x9fff, // ideographs
		r >= 0xa000 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, // Yi, Hangul
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, // compatibility forms
		r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, // full-width forms
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f900 && r <= 0x1f9ff, // emoji
		r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
