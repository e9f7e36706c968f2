package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
)

// area is a rectangle of a drawing.
type area struct {
	x1, y1, x2, y2 float64
	what           string
}

func (a area) meets(b area, least float64) bool {
	return min(a.x2, b.x2)-max(a.x1, b.x1) > least && min(a.y2, b.y2)-max(a.y1, b.y1) > least
}

// faults reads a drawing back from its text and lists what is wrong with it.
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
				at = &area{x1: n("x"), y1: n("y") - textRise, y2: n("y") + textDrop - 1}
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
				l := textLine{class: class, text: strings.TrimPrefix(said, " "), lead: lead}
				width := l.width()
				switch anchor {
				case middle:
					at.x1 -= width / 2
				case end:
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
			out = append(out, fmt.Sprintf("%q is cut off: %.0f,%.0f to %.0f,%.0f of %.0f x %.0f", a.what, a.x1, a.y1, a.x2, a.y2, w, h))
		}
		for _, b := range texts[:i] {
			if a.meets(b, 0.5) {
				out = append(out, fmt.Sprintf("%q and %q overlap", a.what, b.what))
			}
		}
		for _, b := range boxes { // inside or outside, never across an edge
			if b.what != "box behind" && b.what != "card" && a.meets(b, 0.5) && (a.x1 < b.x1-0.5 || a.x2 > b.x2+0.5 || a.y1 < b.y1-0.5 || a.y2 > b.y2+0.5) {
				out = append(out, fmt.Sprintf("%q crosses the edge of a %s", a.what, b.what))
			}
		}
	}
	for i, a := range boxes {
		if a.x1 < 0 || a.y1 < 0 || a.x2 > w+0.5 || a.y2 > h+0.5 {
			out = append(out, "a "+a.what+" is outside")
		}
		for _, b := range boxes[:i] {
			if strings.HasPrefix(a.what, "box") && strings.HasPrefix(b.what, "box") && a.what != "box behind" && b.what != "box behind" && a.meets(b, 0) {
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

// wayFaults looks at every pixel of the way of every cable.
func wayFaults(d *diagram, texts []area, w, h float64) []string {
	var out []string
	for _, c := range d.cables {
		bad := map[string]bool{}
		for i := 1; i < len(c.points); i++ {
			p, q := c.points[i-1], c.points[i]
			steps := math.Ceil(math.Hypot(q[0]-p[0], q[1]-p[1])) + 1
			for s := 0.0; s <= steps; s++ {
				x, y := p[0]+(q[0]-p[0])*s/steps, p[1]+(q[1]-p[1])*s/steps
				if x < 0 || y < 0 || x > w || y > h {
					bad["leaves the drawing"] = true
				}
				for _, b := range d.devices {
					if x > b.x+0.5 && x < b.x+b.w-0.5 && y > b.y+0.5 && y < b.y+b.h-0.5 {
						bad["goes through "+b.name] = true
					}
				}
				for _, t := range texts {
					if x > t.x1 && x < t.x2 && y+c.wide/2 > t.y1+0.5 && y-c.wide/2 < t.y2-0.5 {
						bad["goes through the text "+t.what] = true
					}
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
