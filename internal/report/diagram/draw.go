package diagram

import (
	"html/template"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/svg"
)

// draw lays a diagram out and writes it. paint draws a cable; nil: one line, its dashes and colour by the medium.
func (d *diagram) draw(title string, paint func(*svg.Drawing, *cable)) template.HTML {
	d.describe()
	strips := d.strips()
	w, h := drawLeast, drawEdge
	for i, s := range strips {
		if i > 0 {
			h += stripGap
		}
		s.place()
		for _, c := range s.cables {
			c.pointed()
		}
		s.shift(0, h)
		h += s.high
		w = max(w, s.wide+2*drawEdge)
	}
	legend := 0.0
	if paint == nil {
		legend = legendWidth(d.media())
		w = max(w, legend+2*drawEdge)
		h += svg.TextHeight + 18
	}
	for _, s := range strips {
		s.shift((w-s.wide)/2, 0)
	}
	h += drawEdge
	class := "fabric"
	if w > 640 {
		class += " broad"
	}
	if w > 1300 { // narrower ones stay readable on a screen of 768 pixels
		class += " huge"
	}
	if h > 1.35*w {
		class += " tall"
	}
	w, h = math.Ceil(w), math.Ceil(h)
	out := svg.New(w, h, class, title, d.said())
	for _, s := range strips {
		for _, c := range s.cables {
			if paint == nil {
				out.Way(wireClass(c.link.Media), c.points, c.wide)
			} else {
				paint(out, c)
			}
		}
		for _, column := range s.columns {
			for _, b := range column {
				drawDevice(out, b)
			}
		}
		for _, c := range s.cables {
			drawCableText(out, c)
		}
		for _, column := range s.columns {
			for _, b := range column {
				drawLoops(out, b)
			}
		}
	}
	if paint == nil {
		drawLegend(out, d.media(), (w-legend)/2, h-drawEdge-svg.TextDrop)
	}
	return out.Done()
}

// describe adds a description to every cable that has none.
func (d *diagram) describe() {
	lengths := false
	for _, c := range d.cables {
		lengths = lengths || c.link.Length != nil
	}
	if !lengths && len(d.cables) > 0 {
		d.note = strings.TrimSpace(d.note + " No cable's length is known.")
	}
	for _, c := range d.cables {
		words := details(c.link)
		if !lengths {
			words[0] = strings.TrimSuffix(words[0], ", length "+format.NotKnown)
		}
		c.dense = d.dense
		c.below = nil
		for _, text := range fitting(words, labelRoom) {
			c.below = append(c.below, svg.Folded("word beside", text, labelRoom)...)
		}
		for _, f := range c.flows {
			if f != "" {
				c.below = append(c.below, svg.TextLine{Class: "word beside", Text: "→ " + f})
			}
		}
	}
}

// fitting returns the words in one line, or one line each.
func fitting(words []string, room float64) []string {
	if one := strings.Join(words, ", "); svg.TextWidth(one, false) <= room {
		return []string{one}
	}
	return words
}

// said describes the drawing in a sentence for screen readers.
func (d *diagram) said() string {
	var said []string
	for _, c := range d.cables {
		text := c.label() + ": " + format.Clean(c.link.Ends[0]) + " to " + format.Clean(c.link.Ends[1])
		if c.group() {
			text = c.label() + ": " + format.Clean(c.rows[0].dev.name) + " to " + format.Clean(c.rows[1].dev.name)
		}
		if len(said) == mostSaid {
			said = append(said, "and "+unit.Counted(len(d.cables)-mostSaid, "further cable")+", in the table")
			break
		}
		said = append(said, text+" by "+c.words())
	}
	return strings.Join(said, "; ") + "."
}

// words describes a cable and its traffic in one line.
func (c *cable) words() string {
	out := LinkText(c.link)
	for i, f := range c.flows {
		if f != "" {
			out += ", " + f + []string{" there", " back"}[i]
		}
	}
	return out
}

// mostSaid is the number of cables in a description.
const mostSaid = 60

// drawDevice draws a box with its content.
func drawDevice(s *svg.Drawing, b *device) {
	class := "box"
	if b.limiting {
		class += " limiting"
	}
	if b.count > 1 {
		s.Rect("box behind", b.x+5, b.y+5, b.w, b.h)
	}
	s.Rect(class, b.x, b.y, b.w, b.h)
	y := b.y + boxPad/2
	for _, l := range b.title {
		y += svg.TextHeight
		s.Led(l, svg.Start, b.x+boxPad, y-svg.TextDrop)
	}
	for _, c := range b.nics {
		if !b.isSwitch && b.count == 1 {
			s.Rect("card", b.x+boxPad/2, c.y, b.w-boxPad, c.h)
		}
		y := c.y + 3
		for _, l := range c.head {
			y += svg.TextHeight
			s.Led(l, svg.Start, b.x+1.5*boxPad, y-svg.TextDrop)
		}
		for _, r := range c.rows {
			drawPortRow(s, b, r)
		}
	}
	y = b.y + b.h - svg.TextHeight*float64(len(b.notes)) - 3
	for _, l := range b.notes {
		y += svg.TextHeight
		s.Text(l.Class, svg.Start, b.x+boxPad, y-svg.TextDrop, l.Text)
	}
}

// drawPortRow draws a port at its edge of the box with its text inside.
func drawPortRow(s *svg.Drawing, b *device, r *plug) {
	w := plugWidth(r.port)
	x, anchor, at := b.x, svg.Start, b.x+w+6
	if r.on == right {
		x, anchor, at = b.x+b.w-w, svg.End, b.x+b.w-w-6
	}
	y := r.y - float64(len(r.text))*svg.TextHeight/2
	if r.port == "" {
		w = svg.Widest(r.text) + boxPad
		x, anchor, at = b.x+boxPad, svg.Start, b.x+1.5*boxPad
		if r.on == right {
			x = b.x + b.w - boxPad - w
			at = x + boxPad/2
		}
		s.Rect("inside", x, y-1, w, float64(len(r.text))*svg.TextHeight+2)
	} else {
		class := "port"
		if r.cable == nil {
			class += " unused"
		}
		s.Rect(class, x, r.y-plugSize/2, w, plugSize)
		s.Text("port-name", svg.Middle, x+w/2, r.y+svg.TextRise/2, r.port)
	}
	for _, l := range r.text {
		y += svg.TextHeight
		s.Led(l, anchor, at, y-svg.TextDrop)
	}
}

// drawCableText writes the text at both ends of a cable, and draws the loop around the cables of a bond.
func drawCableText(s *svg.Drawing, c *cable) {
	for _, r := range c.rows {
		above, below := r.labels()
		x, anchor := r.dev.x+r.dev.w+labelPad, svg.Start
		if r.on == left {
			x, anchor = r.dev.x-labelPad, svg.End
		}
		if r.looped() {
			x += float64(r.on) * loopRoom
		}
		y := r.y - c.wide/2 - 3 - svg.TextHeight*float64(len(above))
		for _, l := range above {
			y += svg.TextHeight
			s.Led(l, anchor, x, y-svg.TextDrop)
		}
		y = r.y + c.wide/2 + 3
		for _, l := range below {
			y += svg.TextHeight
			s.Led(l, anchor, x, y-svg.TextDrop)
		}
	}
	if c.over {
		x := (c.points[2][0] + c.points[3][0]) / 2
		s.Led(svg.TextLine{Class: "word beside", Lead: c.label(), Text: joined(c.below)}, svg.Middle, x,
			c.points[2][1]-c.wide/2-3-svg.TextDrop)
	}
}

// drawLoops draws a loop around the cables of a bond that leave a box side by side.
func drawLoops(s *svg.Drawing, b *device) {
	for _, on := range []edge{left, right} {
		at := xslices.Filter(b.rows(), func(r *plug) bool { return r.on == on && r.port != "" })
		for i := 0; i < len(at); {
			j := i
			for j+1 < len(at) && at[i].bonded != "" && at[j+1].bonded == at[i].bonded {
				j++
			}
			if j > i {
				x := b.x + b.w + 4
				if on == left {
					x = b.x - 13
				}
				s.B.WriteString(`<rect class="loop" rx="5" x="` + svg.Px(x) + `" y="` + svg.Px(
					at[i].y-8,
				) + `" width="9" height="` + svg.Px(at[j].y-at[i].y+16) + `"/>`)
			}
			i = j + 1
		}
	}
}

// drawable makes a diagram of a picture, with equal things grouped where there are too many; ok is false if nothing can
// be drawn, and the note says why.
func drawable(p *record.Picture) (*diagram, bool) {
	d := diagramOf(p)
	if len(d.cables) == 0 {
		return d, false
	}
	return d.together()
}

// wireClass is the look of a cable by its medium.
func wireClass(media string) string {
	switch media {
	case "dac", "aoc", "fiber", "pair":
		return "wire " + media
	}
	return "wire other"
}

// mediumWords names media in the words of a legend.
func mediumWords(media string) string {
	switch media {
	case "dac":
		return "dac: copper, plugs fixed"
	case "aoc":
		return "aoc: fibre, plugs fixed"
	case "fiber":
		return "fiber: fibre, without its plugs"
	case "pair":
		return "twisted pair"
	}
	return "medium not known"
}

const legendLine, legendGap = 46.0, 22.0

func legendWidth(media []string) float64 {
	w := -legendGap
	for _, m := range media {
		w += legendLine + 8 + svg.TextWidth(mediumWords(m), false) + legendGap
	}
	return max(w, 0)
}

// drawLegend shows how the media look, in one line.
func drawLegend(s *svg.Drawing, media []string, x, y float64) {
	for _, m := range media {
		s.Way(wireClass(m), [][2]float64{{x, y - svg.TextRise/2}, {x + legendLine, y - svg.TextRise/2}}, 3)
		x += legendLine + 8
		s.Text("small", svg.Start, x, y, mediumWords(m))
		x += svg.TextWidth(mediumWords(m), false) + legendGap
	}
}
