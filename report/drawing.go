package report

import (
	"html/template"
	"math"
	"strings"

	"linerate/result"
	"linerate/unit"
)

// flow is the best that was measured over a link in one direction.
type flow struct {
	share   float64
	ceiling bool // share is known
	goodput float64
	known   bool
}

// flows finds, for every link, what was measured from its first end to its second
// and back.
func flows(r *result.Run, all []row) map[string][2]flow {
	ends := map[string][2]string{}
	for _, l := range r.Plan.Links {
		ends[l.Name] = [2]string{ownerOf(l.Ends[0]), ownerOf(l.Ends[1])}
	}
	out := map[string][2]flow{}
	for _, w := range all {
		if w.Both {
			continue // a link shared with the other direction says less of this one
		}
		for _, name := range w.Links {
			e, ok := ends[name]
			if !ok {
				continue
			}
			way := -1
			switch {
			case e[0] == w.From || e[1] == w.To:
				way = 0
			case e[1] == w.From || e[0] == w.To:
				way = 1
			}
			if way < 0 {
				continue // between two switches: the row does not say which way
			}
			pair := out[name]
			for _, c := range w.Cells {
				if c.Goodput != nil && c.Goodput.Median > pair[way].goodput {
					share, ok := c.share()
					pair[way] = flow{share: share, ceiling: ok, goodput: c.Goodput.Median, known: true}
				}
			}
			out[name] = pair
		}
	}
	return out
}

// fabricDrawing draws hosts, switches and cables. A cable is as thick as its
// rate; of its two lanes, one a direction, the filled part is the share of the
// ceiling that was measured.
func fabricDrawing(r *result.Run, all []row) template.HTML {
	s := layout(&r.Plan)
	if len(s.wires) == 0 || len(s.boxes) > 64 {
		return ""
	}
	carried := flows(r, all)
	limits := map[string][]string{}
	for _, w := range all {
		for _, c := range w.Cells {
			if v := c.E.Verdict; v != nil && !healthy(v) && !contains(limits[v.Component], w.path()) {
				limits[v.Component] = append(limits[v.Component], w.path())
			}
		}
	}
	var said []string
	for _, w := range s.wires {
		text := clean(w.a.name) + " to " + clean(w.b.name)
		if l := linkText(w.link); l != "" {
			text += " by " + l
		}
		f := carried[w.link.Name]
		if f[0].known {
			text += ", " + rate(f[0].goodput) + " there"
		}
		if f[1].known {
			text += ", " + rate(f[1].goodput) + " back"
		}
		said = append(said, text)
	}
	class := "fabric"
	if s.w > 700 { // shrunk to a phone's width nobody could read it
		class += " broad"
	}
	if s.w > 1150 {
		class += " huge"
	}
	d := drawing(s.w, s.h, class, "The fabric "+clean(r.Fabric), strings.Join(said, "; ")+".")
	for _, w := range s.wires {
		d.wire(w, carried[w.link.Name])
	}
	for _, b := range s.boxes {
		class := "box"
		if len(limits[b.name]) > 0 {
			class += " limiting"
		}
		d.rect(class, b.x-b.w/2, b.y-b.h/2, b.w, b.h)
		top := b.y - b.h/2
		if b.isSwitch {
			d.text("name", middle, b.x, b.y-1, shorten(b.name, 18))
			d.text("tick", middle, b.x, b.y+12, "switch")
			continue
		}
		y := top + 20 + (b.h-30-17*float64(len(b.lines)))/2
		d.text("name", middle, b.x, y, shorten(b.name, 18))
		for i, line := range b.lines {
			d.text("small", middle, b.x, y+17*float64(i+1), line)
		}
		if len(limits[b.name]) > 0 {
			at := b.y + b.h/2 + 17
			if b.y < s.h/3 {
				at = b.y - b.h/2 - 8
			}
			d.text("limit", middle, b.x, at, "limits "+shorten(arrows(limits[b.name][0]), 30))
		}
	}
	for _, w := range s.wires {
		d.port(w.a, w.ax, w.ay, w.link.Ends[0])
		d.port(w.b, w.bx, w.by, w.link.Ends[1])
		d.wireLabel(&s, w, carried[w.link.Name])
	}
	return d.done()
}

// port is a small box with the port's name, on the outside of its host's edge.
func (d *svg) port(b *box, x, y float64, id string) {
	name := shorten(shortPort(id), 8)
	w := float64(width(name))*7 + 8
	switch {
	case math.Abs(y-b.y) >= b.h/2-0.1:
		y += math.Copysign(8, y-b.y)
	default:
		x += math.Copysign(w/2, x-b.x)
	}
	d.rect("port", x-w/2, y-8, w, 16)
	d.text("port-name", middle, x, y+4, name)
}

// wire draws both lanes of a cable.
func (d *svg) wire(w wire, f [2]flow) {
	dx, dy := w.bx-w.ax, w.by-w.ay
	length := math.Hypot(dx, dy)
	if length < 1 {
		return
	}
	ux, uy := dx/length, dy/length
	thick, lane := thickness(w.link.Rate), "lane"
	if w.link.Rate <= 0 {
		lane = "lane dashed"
	}
	off := thick/2 + 1.2
	for way := range 2 {
		ox, oy := uy*off, -ux*off // the lane from a to b lies to the left of its direction
		x1, y1, x2, y2 := w.ax+ox, w.ay+oy, w.bx+ox, w.by+oy
		if way == 1 {
			x1, y1, x2, y2 = w.bx-ox, w.by-oy, w.ax-ox, w.ay-oy
		}
		d.wide(lane, x1, y1, x2, y2, thick)
		if f[way].known && f[way].ceiling {
			share := min(max(f[way].share, 0), 1)
			d.wide("flow", x1, y1, x1+(x2-x1)*share, y1+(y2-y1)*share, thick)
		}
	}
}

// wireLabel writes beside a cable what it is and carries.
func (d *svg) wireLabel(s *scene, w wire, f [2]flow) {
	label := shorten(w.link.Label, 12)
	if label == "" {
		label = shorten(w.link.Name, 24)
	}
	lines := []string{strings.TrimSpace(label + " " + shorten(linkText(w.link), 30))}
	for way, f := range f {
		if !f.known {
			continue
		}
		angle := math.Atan2(w.by-w.ay, w.bx-w.ax)
		if way == 1 {
			angle += math.Pi
		}
		text := arrow(angle) + " " + rate(f.goodput)
		if f.ceiling {
			text += ", " + unit.Percent(f.share)
		}
		lines = append(lines, text)
	}
	if s.kind == "circle" && len(s.boxes) > 3 || s.kind == "rows" && len(s.wires) > 6 {
		lines = lines[:1]
		lines[0] = label
	}
	d.label(s, w, lines, thickness(w.link.Rate)+1.2)
}

// label writes lines beside the middle of a wire: under a level one, on the
// outer side of all others.
func (d *svg) label(s *scene, w wire, lines []string, off float64) {
	t := 0.5
	dx, dy := w.bx-w.ax, w.by-w.ay
	switch {
	case s.kind == "circle" && len(s.boxes) > 3 && math.Hypot(dx, dy) > 150:
		t = 0.3 // two diagonals meet in the middle
	case s.kind == "rows" && w.b.isSwitch && math.Abs(dx) > 1:
		t = 0.2 // cables to several switches cross above their hosts
	case s.kind == "rows" && math.Abs(dx) > 1:
		t = 0.8
	}
	x, y := w.ax+dx*t, w.ay+dy*t
	if math.Abs(dy) < math.Abs(dx)*0.25 {
		for i, line := range lines {
			d.text(labelClass(i), middle, x, y+off+16+17*float64(i), line)
		}
		return
	}
	// The higher the lines stack, the further a slanting wire comes towards them.
	off = (off + 9) * math.Hypot(dx, dy) / math.Abs(dy)
	off += math.Abs(dx/dy) * 8.5 * float64(len(lines)-1)
	anchor, at := start, x+off
	if s.kind == "circle" && x < s.w/2-1 {
		anchor, at = end, x-off
	}
	for i, line := range lines {
		d.text(labelClass(i), anchor, at, y-17*float64(len(lines)-1)/2+17*float64(i)+4, line)
	}
}

func labelClass(i int) string {
	if i == 0 {
		return "small beside"
	}
	return "word beside"
}

// thickness of one lane in pixels grows with the logarithm of the rate.
func thickness(r unit.BitRate) float64 {
	if r <= 0 {
		return 2
	}
	return min(max(3+2.5*math.Log10(float64(r)/1e9), 2), 10)
}

// arrow points in one of eight directions.
func arrow(angle float64) string {
	i := int(math.Round(angle/(math.Pi/4))) % 8
	return []string{"→", "↘", "↓", "↙", "←", "↖", "↑", "↗"}[(i+8)%8]
}

// linkText is "dac 3 m, 10.0 Gb/s".
func linkText(l *result.PictureLink) string {
	var parts []string
	if c := clean(l.Cable); c != "" {
		parts = append(parts, c)
	}
	if l.Rate > 0 {
		parts = append(parts, l.Rate.String())
	} else {
		parts = append(parts, "rate "+notKnown)
	}
	return strings.Join(parts, ", ")
}
