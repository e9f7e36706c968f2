package svg

import (
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/report/format"
)

// Marker draws a shape that distinguishes lines without their colour.
func (s *Drawing) Marker(n int, x, y float64) {
	const r = 4.5
	class := "marker m" + strconv.Itoa(n)
	switch n % 6 {
	case 0:
		s.Circle(class, x, y, r)
	case 1:
		s.Rect(class, x-4, y-4, 8, 8)
	case 2:
		s.Path(class, [][2]float64{{x, y - r}, {x + r, y + r}, {x - r, y + r}, {x, y - r}})
	case 3:
		s.Path(class, [][2]float64{{x, y - 5.5}, {x + 5.5, y}, {x, y + 5.5}, {x - 5.5, y}, {x, y - 5.5}})
	case 4:
		s.Path(class, [][2]float64{{x - r, y - r}, {x + r, y - r}, {x, y + r}, {x - r, y - r}})
	case 5:
		s.Rect(class, x-5.5, y-2.5, 11, 5)
	}
}

// Upper capitalizes a text.
func Upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// element writes an element with its class and further attributes, each followed by its value.
func (s *Drawing) element(name, class string, attributes ...string) {
	s.B.WriteString("<" + name + ` class="` + class + `"`)
	for i := 0; i < len(attributes); i += 2 {
		s.B.WriteString(" " + attributes[i] + `="` + attributes[i+1] + `"`)
	}
	s.B.WriteString("/>")
}

// Part draws the first part of a line, as a share of it.
func (s *Drawing) Part(class string, points [][2]float64, wide, share float64) {
	s.element("path", class, "stroke-width", Px(wide), "pathLength", "100", "stroke-dasharray", Px(share*100)+" 200",
		"d", rounded(points, 7))
}

// Drawing is a drawing in the making. Coordinates are in CSS pixels at its natural width. Classes have all colours, so
// that the page's theme applies.
type Drawing struct {
	B strings.Builder
}

// New begins an SVG with a title and a sentence of description, for screen readers.
func New(w, h float64, class, title, desc string) *Drawing {
	s := new(Drawing)
	s.B.WriteString(
		`<svg class="` + class + `" viewBox="0 0 ` + Px(w) + ` ` + Px(h) + `" width="` + Px(w) + `" height="` + Px(
			h,
		) + `" role="img"><title>` + Esc(title) + `</title><desc>` + Esc(desc) + `</desc>`,
	)
	return s
}

// Done ends the drawing and returns it.
func (s *Drawing) Done() template.HTML {
	s.B.WriteString("</svg>")
	return template.HTML(s.B.String()) // everything in it went through esc or px
}

// Px prints a coordinate with at most one decimal.
func Px(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// Esc makes a text from a file or a device safe to print in a page.
func Esc(s string) string { return html.EscapeString(format.Clean(s)) }

// Line draws a straight line.
func (s *Drawing) Line(class string, x1, y1, x2, y2 float64) {
	s.Path(class, [][2]float64{{x1, y1}, {x2, y2}})
}

// Path draws a line through points.
func (s *Drawing) Path(class string, points [][2]float64) {
	var d strings.Builder
	for i, p := range points {
		d.WriteString(unit.If(i == 0, "M", "L") + Px(p[0]) + " " + Px(p[1]))
	}
	if len(points) > 0 {
		s.element("path", class, "d", d.String())
	}
}

// Rect draws a rectangle.
func (s *Drawing) Rect(class string, x, y, w, h float64) {
	s.element("rect", class, "x", Px(x), "y", Px(y), "width", Px(max(w, 0)), "height", Px(max(h, 0)))
}

// Circle draws a circle.
func (s *Drawing) Circle(class string, x, y, r float64) {
	s.element("circle", class, "cx", Px(x), "cy", Px(y), "r", Px(r))
}

// The anchors of text.
const (
	Start  = "start"
	Middle = "middle"
	End    = "end"
)

// Text writes a line of text.
func (s *Drawing) Text(class, anchor string, x, y float64, text string) {
	s.B.WriteString(
		`<text class="` + class + `" text-anchor="` + anchor + `" x="` + Px(x) + `" y="` + Px(y) + `"` + length(text,
			TextLine{Class: class, Text: text}.Width()) + `>` + Esc(text) + `</text>`,
	)
}

// length limits text whose width is not known to the width of its room.
func length(text string, w float64) string {
	if !unknownWidth(text) {
		return ""
	}
	return ` textLength="` + Px(w) + `" lengthAdjust="spacingAndGlyphs"`
}

// Led writes a line of text with its lead in bold.
func (s *Drawing) Led(l TextLine, anchor string, x, y float64) {
	if l.Lead == "" {
		s.Text(l.Class, anchor, x, y, l.Text)
		return
	}
	s.B.WriteString(
		`<text class="` + l.Class + `" text-anchor="` + anchor + `" x="` + Px(x) + `" y="` + Px(y) + `"` + length(
			l.Lead+l.Text, l.Width(),
		) + `><tspan class="name">` + Esc(l.Lead) + `</tspan> ` + Esc(l.Text) + `</text>`,
	)
}

// Way draws a cable with its corners rounded.
func (s *Drawing) Way(class string, points [][2]float64, wide float64) {
	s.element("path", class, "stroke-width", Px(wide), "d", rounded(points, 7))
}

func rounded(points [][2]float64, radius float64) string {
	var b strings.Builder
	for i, p := range points {
		if i == 0 {
			b.WriteString("M" + Px(p[0]) + " " + Px(p[1]))
			continue
		}
		if i == len(points)-1 {
			b.WriteString("L" + Px(p[0]) + " " + Px(p[1]))
			break
		}
		from, to := toward(p, points[i-1], radius), toward(p, points[i+1], radius)
		b.WriteString(
			"L" + Px(from[0]) + " " + Px(from[1]) + "Q" + Px(p[0]) + " " + Px(p[1]) + " " + Px(to[0]) + " " + Px(to[1]),
		)
	}
	return b.String()
}

// toward returns the point between p and q at a distance from p, at most half of it.
func toward(p, q [2]float64, distance float64) [2]float64 {
	dx, dy := q[0]-p[0], q[1]-p[1]
	l := math.Hypot(dx, dy)
	if l == 0 {
		return p
	}
	t := min(distance, l/2) / l
	return [2]float64{p[0] + dx*t, p[1] + dy*t}
}
