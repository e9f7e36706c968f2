package svg

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"linerate/internal/base/xslices"
	"linerate/internal/report/format"
)

// Text in drawings has one size. Its width is not known before a browser sets it, so it is taken from DejaVu Sans, the
// widest of the fonts in the style sheet: in the others, text is narrower.
const (
	textSize   = 13.0
	TextHeight = 16.0 // from one base line to the next
	TextRise   = 10.0 // from the base line to the top of a capital or digit
	TextDrop   = 4.0  // from the base line to the foot of a g
)

// Advance widths of the characters from space to tilde in thousandths of the size.
var (
	regularWidths = [95]int{318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
		636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
		295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500,
		613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818,
		592, 592, 525, 636, 337, 636, 838}
	boldWidths = [95]int{348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696,
		696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372,
		372, 775, 637, 995, 837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500, 500,
		675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924,
		645, 652, 582, 712, 365, 712, 838}
)

// TextWidth returns an upper bound of the width of a line of text, in pixels. For characters that are not in the table
// it is a guess; see unknownWidth.
func TextWidth(s string, bold bool) float64 {
	table := &regularWidths
	if bold {
		table = &boldWidths
	}
	sum := 0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			sum += table[r-' ']
		case r == '·':
			sum += 380
		case unicode.Is(unicode.Mn, r), unicode.Is(unicode.Me, r):
		default:
			sum += 1050
		}
	}
	return float64(sum) * textSize / 1000
}

// unknownWidth reports whether a text has characters whose width is a guess. The browser then has to fit it to that
// width.
func unknownWidth(s string) bool {
	for _, r := range s {
		if r > '~' && r != '·' && !strings.ContainsRune("→↘↓↙←↖↑↗…×", r) {
			return true
		}
	}
	return false
}

// longest is the largest number of characters of a text in a drawing. Names have up to 63. The tables have longer
// texts.
const longest = 96

// fold breaks text into lines no wider than room: at spaces, else behind hyphens,
// dots, slashes and underscores, else anywhere.
func fold(s string, room float64, bold bool) []string {
	s = format.Shorten(strings.Join(strings.Fields(format.Clean(s)), " "), longest)
	var lines []string
	for s != "" {
		cut, soft, last := len(s), -1, -1
		for i, r := range s {
			n := i + utf8.RuneLen(r)
			if TextWidth(s[:n], bold) > room && i > 0 {
				cut = i
				break
			}
			switch r {
			case ' ':
				soft = i
			case '-', '.', '/', '_', ',', ':':
				last = n
			}
		}
		if cut < len(s) {
			switch {
			case s[cut] == ' ':
			case soft > 0:
				cut = soft
			case last > 0:
				cut = last
			}
		}
		lines = append(lines, strings.TrimSpace(s[:cut]))
		s = strings.TrimSpace(s[cut:])
	}
	return lines
}

// Widest is the width of the widest of lines.
func Widest(lines []TextLine) float64 {
	w := 0.0
	for _, l := range lines {
		w = max(w, l.Width())
	}
	return w
}

// TextLine is a line of a drawing with its class. The lead is before the text and is bold.
type TextLine struct{ Class, Text, Lead string }

// Width is an upper bound of the width of the line, in pixels.
func (l TextLine) Width() float64 {
	w := TextWidth(l.Text, l.Bold())
	if l.Lead != "" {
		w += TextWidth(l.Lead, true) + TextWidth("  ", true)
	}
	return w
}

// Bold reports whether the class of the line prints it in bold.
func (l TextLine) Bold() bool { return strings.HasPrefix(l.Class, "name") || l.Class == "limit" }

// Folded wraps a text into lines of one class.
func Folded(class, s string, room float64) []TextLine {
	return xslices.Map(fold(s, room, TextLine{Class: class}.Bold()),
		func(l string) TextLine { return TextLine{Class: class, Text: l} })
}
