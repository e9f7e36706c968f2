package report

import (
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// svg is a drawing under way. Coordinates are in CSS pixels at its natural
// width; classes carry all colours, so that the page's theme holds in it.
type svg struct {
	b strings.Builder
}

// drawing begins an SVG with a title and a sentence of description, as screen
// readers say them.
func drawing(w, h float64, class, title, desc string) *svg {
	s := new(svg)
	s.b.WriteString(`<svg class="` + class + `" viewBox="0 0 ` + px(w) + ` ` + px(h) + `" width="` + px(w) + `" height="` + px(h) + `" role="img"><title>` +
		esc(title) + `</title><desc>` + esc(desc) + `</desc>`)
	return s
}

func (s *svg) done() template.HTML {
	s.b.WriteString("</svg>")
	return template.HTML(s.b.String()) // everything in it went through esc or px
}

// px prints a coordinate with at most one decimal.
func px(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

func esc(s string) string { return html.EscapeString(clean(s)) }

func (s *svg) line(class string, x1, y1, x2, y2 float64) {
	s.b.WriteString(`<path class="` + class + `" d="M` + px(x1) + ` ` + px(y1) + `L` + px(x2) + ` ` + px(y2) + `"/>`)
}

func (s *svg) path(class string, points [][2]float64) {
	if len(points) == 0 {
		return
	}
	s.b.WriteString(`<path class="` + class + `" d="`)
	for i, p := range points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		s.b.WriteString(command + px(p[0]) + " " + px(p[1]))
	}
	s.b.WriteString(`"/>`)
}

func (s *svg) rect(class string, x, y, w, h float64) {
	s.b.WriteString(`<rect class="` + class + `" x="` + px(x) + `" y="` + px(y) + `" width="` + px(max(w, 0)) + `" height="` + px(max(h, 0)) + `"/>`)
}

func (s *svg) circle(class string, x, y, r float64) {
	s.b.WriteString(`<circle class="` + class + `" cx="` + px(x) + `" cy="` + px(y) + `" r="` + px(r) + `"/>`)
}

// The anchors of text.
const (
	start  = "start"
	middle = "middle"
	end    = "end"
)

func (s *svg) text(class, anchor string, x, y float64, text string) {
	s.b.WriteString(`<text class="` + class + `" text-anchor="` + anchor + `" x="` + px(x) + `" y="` + px(y) + `"` + length(text, textLine{class: class, text: text}.width()) + `>` + esc(text) + `</text>`)
}

// length holds text of characters whose width is not known to the width that it
// was given room for.
func length(text string, w float64) string {
	if !foreign(text) {
		return ""
	}
	return ` textLength="` + px(w) + `" lengthAdjust="spacingAndGlyphs"`
}

// shorten cuts text that a drawing has no room for; the tables have it whole.
func shorten(s string, n int) string {
	s = clean(s)
	if r := []rune(s); len(r) > n && n > 1 {
		return string(r[:n-1]) + "…"
	}
	return s
}
