package report

import (
	"html/template"
	"math"
	"strings"

	"linerate/internal/record"
)

// draw lays a diagram out and writes it. paint draws a cable; nil: one line, its
// dashes and colour by the medium.
func (d *diagram) draw(title string, paint func(*svg, *cable)) template.HTML {
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
		h += textHeight + 18
	}
	for _, s := range strips {
		s.shift((w-s.wide)/2, 0)
	}
	h += drawEdge
	class := "fabric"
	if w > 640 {
		class += " broad"
	}
	if w > 1300 { // up to here it is still readable when a screen shrinks it
		class += " huge"
	}
	if h > 1.35*w {
		class += " tall"
	}
	w, h = math.Ceil(w), math.Ceil(h)
	out := drawing(w, h, class, title, d.said())
	for _, s := range strips {
		for _, c := range s.cables {
			if paint == nil {
				out.way(wireClass(c.link.Media), c.points, c.wide)
			} else {
				paint(out, c)
			}
		}
		for _, column := range s.columns {
			for _, b := range column {
				out.device(b)
			}
		}
		for _, c := range s.cables {
			out.cableText(c)
		}
		for _, column := range s.columns {
			for _, b := range column {
				out.loops(b)
			}
		}
	}
	if paint == nil {
		out.legend(d.media(), (w-legend)/2, h-drawEdge-textDrop)
	}
	return out.done()
}

// describe writes what every cable is, unless its user already has.
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
			words[0] = strings.TrimSuffix(words[0], ", length "+notKnown)
		}
		c.dense = d.dense
		c.below = nil
		for _, text := range fitting(words, labelRoom) {
			c.below = append(c.below, folded("word beside", text, labelRoom)...)
		}
		for _, f := range c.flows {
			if f != "" {
				c.below = append(c.below, textLine{class: "word beside", text: "→ " + f})
			}
		}
	}
}

// fitting is the words in one line, or one line each.
func fitting(words []string, room float64) []string {
	if one := strings.Join(words, ", "); textWidth(one, false) <= room {
		return []string{one}
	}
	return words
}

// said is the drawing in a sentence, as screen readers say it.
func (d *diagram) said() string {
	var said []string
	for _, c := range d.cables {
		text := c.label() + ": " + clean(c.link.Ends[0]) + " to " + clean(c.link.Ends[1])
		if c.group() {
			text = c.label() + ": " + clean(c.rows[0].dev.name) + " to " + clean(c.rows[1].dev.name)
		}
		if len(said) == mostSaid {
			said = append(said, "and "+count(len(d.cables)-mostSaid, "further cable")+", in the table")
			break
		}
		said = append(said, text+" by "+c.words())
	}
	return strings.Join(said, "; ") + "."
}

// words are what a cable is and carries, in one line.
func (c *cable) words() string {
	out := linkText(c.link)
	for i, f := range c.flows {
		if f != "" {
			out += ", " + f + []string{" there", " back"}[i]
		}
	}
	return out
}

// mostSaid is how many cables a description goes through.
const mostSaid = 60

// device draws a box with what is in it.
func (s *svg) device(b *device) {
	class := "box"
	if b.limiting {
		class += " limiting"
	}
	if b.count > 1 {
		s.rect("box behind", b.x+5, b.y+5, b.w, b.h)
	}
	s.rect(class, b.x, b.y, b.w, b.h)
	y := b.y + boxPad/2
	for _, l := range b.title {
		y += textHeight
		s.led(l, start, b.x+boxPad, y-textDrop)
	}
	for _, c := range b.cards {
		if !b.isSwitch && b.count == 1 {
			s.rect("card", b.x+boxPad/2, c.y, b.w-boxPad, c.h)
		}
		y := c.y + 3
		for _, l := range c.head {
			y += textHeight
			s.led(l, start, b.x+1.5*boxPad, y-textDrop)
		}
		for _, r := range c.rows {
			s.portRow(b, r)
		}
	}
	y = b.y + b.h - textHeight*float64(len(b.notes)) - 3
	for _, l := range b.notes {
		y += textHeight
		s.text(l.class, start, b.x+boxPad, y-textDrop, l.text)
	}
}

// portRow draws a port at its edge of the box with its text inside.
func (s *svg) portRow(b *device, r *plug) {
	w := plugWidth(r.port)
	x, anchor, at := b.x, start, b.x+w+6
	if r.on == right {
		x, anchor, at = b.x+b.w-w, end, b.x+b.w-w-6
	}
	y := r.y - float64(len(r.text))*textHeight/2
	if r.port == "" {
		w = widest(r.text) + boxPad
		x, anchor, at = b.x+boxPad, start, b.x+1.5*boxPad
		if r.on == right {
			x = b.x + b.w - boxPad - w
			at = x + boxPad/2
		}
		s.rect("inside", x, y-1, w, float64(len(r.text))*textHeight+2)
	} else {
		class := "port"
		if r.cable == nil {
			class += " unused"
		}
		s.rect(class, x, r.y-plugSize/2, w, plugSize)
		s.text("port-name", middle, x+w/2, r.y+textRise/2, r.port)
	}
	for _, l := range r.text {
		y += textHeight
		s.led(l, anchor, at, y-textDrop)
	}
}

// cableText writes at both ends of a cable what stands there, and draws the loop
// around the cables of a bond.
func (s *svg) cableText(c *cable) {
	for _, r := range c.rows {
		above, below := r.labels()
		x, anchor := r.dev.x+r.dev.w+labelPad, start
		if r.on == left {
			x, anchor = r.dev.x-labelPad, end
		}
		if r.looped() {
			x += float64(r.on) * loopRoom
		}
		y := r.y - c.wide/2 - 3 - textHeight*float64(len(above))
		for _, l := range above {
			y += textHeight
			s.led(l, anchor, x, y-textDrop)
		}
		y = r.y + c.wide/2 + 3
		for _, l := range below {
			y += textHeight
			s.led(l, anchor, x, y-textDrop)
		}
	}
	if c.over {
		x := (c.points[2][0] + c.points[3][0]) / 2
		s.led(textLine{class: "word beside", lead: c.label(), text: joined(c.below)}, middle, x, c.points[2][1]-c.wide/2-3-textDrop)
	}
}

// loops draws a loop around the cables of a bond that leave a box side by side.
func (s *svg) loops(b *device) {
	for _, on := range []edge{left, right} {
		var at []*plug
		for _, r := range b.rows() {
			if r.on == on && r.port != "" {
				at = append(at, r)
			}
		}
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
				s.b.WriteString(`<rect class="loop" rx="5" x="` + px(x) + `" y="` + px(at[i].y-8) + `" width="9" height="` + px(at[j].y-at[i].y+16) + `"/>`)
			}
			i = j + 1
		}
	}
}

// led writes a line of text with its lead in bold.
func (s *svg) led(l textLine, anchor string, x, y float64) {
	if l.lead == "" {
		s.text(l.class, anchor, x, y, l.text)
		return
	}
	s.b.WriteString(`<text class="` + l.class + `" text-anchor="` + anchor + `" x="` + px(x) + `" y="` + px(y) + `"` + length(l.lead+l.text, l.width()) + `><tspan class="name">` + esc(l.lead) + `</tspan> ` + esc(l.text) + `</text>`)
}

// way draws a cable with its corners rounded.
func (s *svg) way(class string, points [][2]float64, wide float64) {
	s.b.WriteString(`<path class="` + class + `" stroke-width="` + px(wide) + `" d="` + rounded(points, 7) + `"/>`)
}

func rounded(points [][2]float64, radius float64) string {
	var b strings.Builder
	for i, p := range points {
		if i == 0 {
			b.WriteString("M" + px(p[0]) + " " + px(p[1]))
			continue
		}
		if i == len(points)-1 {
			b.WriteString("L" + px(p[0]) + " " + px(p[1]))
			break
		}
		from, to := toward(p, points[i-1], radius), toward(p, points[i+1], radius)
		b.WriteString("L" + px(from[0]) + " " + px(from[1]) + "Q" + px(p[0]) + " " + px(p[1]) + " " + px(to[0]) + " " + px(to[1]))
	}
	return b.String()
}

// toward is the point on the way from p to q at a distance, at most half of it.
func toward(p, q [2]float64, distance float64) [2]float64 {
	dx, dy := q[0]-p[0], q[1]-p[1]
	l := math.Hypot(dx, dy)
	if l == 0 {
		return p
	}
	t := min(distance, l/2) / l
	return [2]float64{p[0] + dx*t, p[1] + dy*t}
}

// drawable makes a diagram of a picture, of equal things together where there are
// too many to be seen; not ok: nothing can be drawn, and the note says why.
func drawable(p *record.Picture) (*diagram, bool) {
	d := diagramOf(p)
	if len(d.cables) == 0 {
		return d, false
	}
	return d.together()
}
