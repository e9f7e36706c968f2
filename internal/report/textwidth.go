package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text in drawings has one size. Its width is not known before a browser sets it,
// so it is taken from DejaVu Sans, the widest of the fonts that the style sheet
// asks for: with any other of them text is narrower than its place.
const (
	textSize   = 13.0
	textHeight = 16.0 // from one base line to the next
	textRise   = 10.0 // from the base line to the top of a capital or digit
	textDrop   = 4.0  // from the base line to the foot of a g
)

// Advance widths of the characters from space to tilde in thousandths of the size.
var (
	regularWidths = [95]int{318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000,
		684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500,
		613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838}
	boldWidths = [95]int{348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580, 1000,
		774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500, 500,
		675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838}
)

// textWidth is an upper bound of how wide a line of text gets, in pixels. For
// characters that the table lacks it is a guess; see foreign.
func textWidth(s string, bold bool) float64 {
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

// foreign says whether a text has characters whose width is a guess: it is then
// set to that width, whatever its font would make of it.
func foreign(s string) bool {
	for _, r := range s {
		if r > '~' && r != '·' && !strings.ContainsRune("→↘↓↙←↖↑↗…×", r) {
			return true
		}
	}
	return false
}

// longest is how many characters of a text a drawing shows at most. Names have
// up to 63; what is longer stands whole in the tables.
const longest = 96

// fold breaks text into lines no wider than room: at spaces, else behind hyphens,
// dots, slashes and underscores, else anywhere.
func fold(s string, room float64, bold bool) []string {
	s = shorten(strings.Join(strings.Fields(clean(s)), " "), longest)
	var lines []string
	for s != "" {
		cut, soft, last := len(s), -1, -1
		for i, r := range s {
			n := i + utf8.RuneLen(r)
			if textWidth(s[:n], bold) > room && i > 0 {
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

// widest is the width of the widest of lines.
func widest(lines []textLine) float64 {
	w := 0.0
	for _, l := range lines {
		w = max(w, l.width())
	}
	return w
}

// textLine is a line of a drawing with its class. The lead stands before the text
// and is bold.
type textLine struct{ class, text, lead string }

func (l textLine) width() float64 {
	w := textWidth(l.text, l.bold())
	if l.lead != "" {
		w += textWidth(l.lead, true) + textWidth("  ", true)
	}
	return w
}

func (l textLine) bold() bool { return strings.HasPrefix(l.class, "name") || l.class == "limit" }

// folded makes lines of one class out of a text.
func folded(class, s string, room float64) []textLine {
	var out []textLine
	for _, l := range fold(s, room, textLine{class: class}.bold()) {
		out = append(out, textLine{class: class, text: l})
	}
	return out
}
