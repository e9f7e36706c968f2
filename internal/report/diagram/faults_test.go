package diagram

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/report/reporttest"
	"linerate/internal/report/svg"
)

// area is a rectangle of a drawing.
type area struct {
	x1, y1, x2, y2 float64
	what           string
}

func (a area) meets(b area, least float64) bool {
	return min(a.x2, b.x2)-max(a.x1, b.x1) > least && min(a.y2, b.y2)-max(a.y1, b.y1) > least
}

// faults parses a drawing and lists its faults.
func faults(t *testing.T, text string, d *diagram) []string {
	t.Helper()
	var texts, boxes []area
	var w, h float64
	var out []string
	x := xml.NewDecoder(strings.NewReader(text))
	var at *area
	var anchor, class, said, lead string
	inLead, described := false, 0
	for {
		token, err := x.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return append(out, "it does not parse: "+err.Error())
		}
		switch e := token.(type) {
		case xml.StartElement:
			n := func(name string) float64 {
				v, err := strconv.ParseFloat(attribute(e, name), 64)
				if err != nil {
					t.Fatalf("%s of %s: %v", name, e.Name.Local, err)
				}
				return v
			}
			switch e.Name.Local {
			case "svg":
				w, h = n("width"), n("height")
			case "title", "desc":
				described++
			case "rect":
				boxes = append(boxes, area{n("x"), n("y"), n("x") + n("width"), n("y") + n("height"), attribute(e, "class")})
			case "text":
				at = &area{x1: n("x"), y1: n("y") - svg.TextRise, y2: n("y") + svg.TextDrop - 1}
				anchor, class, said, lead = attribute(e, "text-anchor"), attribute(e, "class"), "", ""
			case "tspan":
				inLead = true
			case "path":
			default:
				out = append(out, "an element "+e.Name.Local)
			}
		case xml.CharData:
			switch {
			case at != nil && inLead:
				lead += string(e)
			case at != nil:
				said += string(e)
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "tspan":
				inLead = false
			case "text":
				l := svg.TextLine{Class: class, Text: strings.TrimPrefix(said, " "), Lead: lead}
				width := l.Width()
				switch anchor {
				case svg.Middle:
					at.x1 -= width / 2
				case svg.End:
					at.x1 -= width
				}
				at.x2, at.what = at.x1+width, lead+said
				texts, at = append(texts, *at), nil
			}
		}
	}
	if described != 2 {
		out = append(out, "it lacks its title or description")
	}
	for i, a := range texts {
		if a.x1 < 0 || a.y1 < 0 || a.x2 > w || a.y2 > h {
			out = append(out,
				fmt.Sprintf("%q is cut off: %.0f,%.0f to %.0f,%.0f of %.0f x %.0f", a.what, a.x1, a.y1, a.x2, a.y2, w, h))
		}
		for _, b := range texts[:i] {
			if a.meets(b, 0.5) {
				out = append(out, fmt.Sprintf("%q and %q overlap", a.what, b.what))
			}
		}
		for _, b := range boxes { // inside or outside, never across an edge
			if b.what != "box behind" && b.what != "card" && a.meets(b, 0.5) &&
				(a.x1 < b.x1-0.5 || a.x2 > b.x2+0.5 || a.y1 < b.y1-0.5 || a.y2 > b.y2+0.5) {
				out = append(out, fmt.Sprintf("%q crosses the edge of a %s", a.what, b.what))
			}
		}
	}
	for i, a := range boxes {
		if a.x1 < 0 || a.y1 < 0 || a.x2 > w+0.5 || a.y2 > h+0.5 {
			out = append(out, "a "+a.what+" is outside")
		}
		for _, b := range boxes[:i] {
			if strings.HasPrefix(a.what, "box") && strings.HasPrefix(b.what, "box") && a.what != "box behind" &&
				b.what != "box behind" && a.meets(b, 0) {
				out = append(out, "two boxes overlap")
			}
		}
	}
	return append(out, wayFaults(d, texts, w, h)...)
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// wayFaults checks the route of every cable, part by part.
func wayFaults(d *diagram, texts []area, w, h float64) []string {
	var out []string
	for _, c := range d.cables {
		bad := map[string]bool{}
		for i, p := range c.points {
			if p[0] < 0 || p[1] < 0 || p[0] > w || p[1] > h {
				bad["leaves the drawing"] = true
			}
			if i == 0 {
				continue
			}
			q := c.points[i-1]
			for _, b := range d.devices {
				if crosses(p, q, area{x1: b.x + 0.5, y1: b.y + 0.5, x2: b.x + b.w - 0.5, y2: b.y + b.h - 0.5}) {
					bad["goes through "+b.name] = true
				}
			}
			for _, t := range texts {
				if crosses(p, q, area{x1: t.x1, y1: t.y1 + 0.5 - c.wide/2, x2: t.x2, y2: t.y2 - 0.5 + c.wide/2}) {
					bad["goes through the text "+t.what] = true
				}
			}
		}
		for i, r := range c.rows {
			end := c.points[i*(len(c.points)-1)]
			if math.Abs(end[1]-r.y) > 0.01 || math.Abs(end[0]-r.dev.x) > 0.01 && math.Abs(end[0]-r.dev.x-r.dev.w) > 0.01 {
				bad["does not end at its port of "+r.dev.name] = true
			}
			if r.y < r.dev.y || r.y > r.dev.y+r.dev.h {
				bad["has its port outside "+r.dev.name] = true
			}
		}
		for what := range bad {
			out = append(out, "cable "+c.label()+" "+what)
		}
	}
	return out
}

// crosses reports whether the straight line from p to q has a point inside a, its edges not counted: the part of the
// line between both vertical edges is cut out of it, and of that the part between the horizontal ones (Liang and
// Barsky).
func crosses(p, q [2]float64, a area) bool {
	from, to := 0.0, 1.0
	for dimension, edge := range [2][2]float64{{a.x1, a.x2}, {a.y1, a.y2}} {
		at, way := p[dimension], q[dimension]-p[dimension]
		if way == 0 {
			if at <= edge[0] || at >= edge[1] {
				return false
			}
			continue
		}
		in, out := (edge[0]-at)/way, (edge[1]-at)/way
		from, to = max(from, min(in, out)), min(to, max(in, out))
	}
	return from < to
}

// The checks of drawings detect faults.
func TestCrosses(t *testing.T) {
	box := area{x1: 10, y1: 10, x2: 20, y2: 20}
	for _, c := range []struct {
		p, q [2]float64
		want bool
	}{
		{[2]float64{0, 15}, [2]float64{30, 15}, true},      // straight through
		{[2]float64{15, 30}, [2]float64{15, 0}, true},      // upwards
		{[2]float64{0, 15}, [2]float64{10.1, 15}, true},    // ends just inside
		{[2]float64{12, 12}, [2]float64{13, 13}, true},     // all inside
		{[2]float64{5, 14}, [2]float64{14, 5}, false},      // past the corner
		{[2]float64{5, 16}, [2]float64{16, 5}, true},       // over the corner
		{[2]float64{0, 10}, [2]float64{30, 10}, false},     // along an edge
		{[2]float64{0, 15}, [2]float64{10, 15}, false},     // up to an edge
		{[2]float64{0, 0}, [2]float64{5, 5}, false},        // short of it
		{[2]float64{20.1, 0}, [2]float64{20.1, 30}, false}, // next to it
	} {
		if crosses(c.p, c.q, box) != c.want || crosses(c.q, c.p, box) != c.want {
			t.Errorf("from %v to %v: want %v", c.p, c.q, c.want)
		}
	}
	p := reporttest.SwitchedPicture(1, 4)
	text, d := drawnAs(p, false)
	c, b := d.cables[0], d.devices[0]
	for _, other := range d.devices[1:] {
		if other != c.rows[0].dev && other != c.rows[1].dev {
			b = other
		}
	}
	c.points = append(c.points[:1:1], [2]float64{b.x + b.w/2, b.y + b.h/2}, c.points[len(c.points)-1])
	if found := strings.Join(faults(t, text, d), "; "); !strings.Contains(found, "goes through "+b.name) ||
		!strings.Contains(found, "goes through the text") {
		t.Errorf("a cable through %s is not found: %s", b.name, found)
	}
}
