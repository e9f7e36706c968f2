package report

import (
	"html/template"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// fabricDrawing draws the fabric of a run. A cable is as thick as its rate; of its
// two lanes, one a direction, the filled part is the share of the ceiling that was
// measured.
func fabricDrawing(r *record.Run, all []row) (drawn template.HTML, note string) {
	d, ok := drawable(&r.Plan)
	if !ok {
		return "", d.note
	}
	carried := flows(r, all)
	for _, c := range d.cables {
		c.wide = 2*thickness(c.link.Rate) + 2.4
		if c.group() {
			continue
		}
		for way, f := range carried[c.link.Name] {
			if !f.known {
				continue
			}
			text := rate(f.goodput)
			if f.ceiling {
				text += ", " + unit.Percent(f.share)
			}
			c.flows[way] = text
		}
	}
	held := limits(all)
	for _, b := range d.devices {
		if of := held[b.name]; len(of) > 0 && b.count == 1 {
			b.limiting = true
			b.title = append(b.title, folded("limit", "limits "+arrows(of[0]), titleRoom)...)
		}
	}
	drawn = d.draw("The fabric "+clean(r.Fabric), func(s *svg, c *cable) {
		f := carried[c.link.Name]
		if c.group() {
			f = [2]flow{}
		}
		s.lanes(c, f)
	})
	return drawn, d.note
}

// limits lists, by host, the paths that it holds back.
func limits(all []row) map[string][]string {
	out := map[string][]string{}
	for _, w := range all {
		for _, c := range w.Cells {
			if v := c.E.Verdict; v != nil && !healthy(v) && !contains(out[v.Component], w.path()) {
				out[v.Component] = append(out[v.Component], w.path())
			}
		}
	}
	return out
}

// planDrawing draws a plan's fabric: hosts with their cards and ports, switches,
// cables. The note says what of it is drawn together or left out.
func planDrawing(p *plan.Plan) (drawn template.HTML, note string) {
	picture := p.Picture()
	for i, h := range p.Hosts {
		expected := h.Expected()
		named(picture.Hosts[i].Ports, expected)
		named(picture.Hosts[i].Unused, expected)
	}
	d, ok := drawable(&picture)
	if !ok {
		return "", d.note
	}
	for _, c := range d.cables {
		c.wide = lineWidth(c.link.Rate)
	}
	drawn = d.draw("The fabric "+clean(p.Name), nil)
	return drawn, d.note
}

// named takes the lab's names out of ports, which the hosts themselves do not have, and puts those in that drivers give.
func named(ports []record.PicturePort, expected map[string]string) {
	for i := range ports {
		if ports[i].Assumed {
			ports[i].Interface = expected[ports[i].ID]
		}
	}
}

// lineWidth of a cable in pixels grows with the logarithm of its rate.
func lineWidth(r unit.BitRate) float64 {
	if r <= 0 {
		return 1.6
	}
	return min(max(1.6+1.5*math.Log10(float64(r)/1e9), 1.2), 6)
}

// lanes draws both lanes of a cable.
func (s *svg) lanes(c *cable, f [2]flow) {
	thick, lane := thickness(c.link.Rate), "lane"
	if c.link.Rate <= 0 {
		lane = "lane dashed"
	}
	for way := range 2 {
		points := beside(c.points, thick/2+1.2) // the lane from a to b lies to the left of its direction
		if way == 1 {
			points = beside(backwards(c.points), thick/2+1.2)
		}
		s.way(lane, points, thick)
		if f[way].known && f[way].ceiling {
			s.part("flow", points, thick, min(max(f[way].share, 0), 1))
		}
	}
}

func backwards(points [][2]float64) [][2]float64 {
	out := make([][2]float64, len(points))
	for i, p := range points {
		out[len(points)-1-i] = p
	}
	return out
}

// beside is a line at a distance to the left of another.
func beside(points [][2]float64, distance float64) [][2]float64 {
	var out [][2]float64
	direction := func(i int) (x, y float64) {
		dx, dy := points[i+1][0]-points[i][0], points[i+1][1]-points[i][1]
		l := math.Hypot(dx, dy)
		if l == 0 {
			return 0, 0
		}
		return dx / l, dy / l
	}
	for i, p := range points {
		var x, y float64 // the mean of the normals of both parts that meet here
		n := 0.0
		for _, j := range []int{i - 1, i} {
			if j >= 0 && j+1 < len(points) {
				dx, dy := direction(j)
				x, y, n = x+dy, y-dx, n+1
			}
		}
		// Where the line turns, the corner is further off than the lines are.
		l := (x*x + y*y) / (n * n)
		if l < 0.2 {
			l = 0.2
		}
		out = append(out, [2]float64{p[0] + x/n*distance/l, p[1] + y/n*distance/l})
	}
	return out
}

// part draws the first part of a line, as a share of it.
func (s *svg) part(class string, points [][2]float64, wide, share float64) {
	s.b.WriteString(`<path class="` + class + `" stroke-width="` + px(wide) + `" pathLength="100" stroke-dasharray="` + px(share*100) + ` 200" d="` + rounded(points, 7) + `"/>`)
}

// pointed gives the goodputs of a cable arrows in the direction in which the cable
// leaves its first end.
func (c *cable) pointed() {
	dx, dy := 0.0, 0.0
	if n := len(c.points); n > 1 {
		dx, dy = c.points[n-1][0]-c.points[0][0], c.points[n-1][1]-c.points[0][1]
	}
	if c.rows[0].dev.column == c.rows[1].dev.column {
		dx = 0
	}
	angle := math.Atan2(dy, dx)
	at := len(c.below)
	for way := 1; way >= 0; way-- {
		if c.flows[way] == "" {
			continue
		}
		at--
		toward := angle
		if way == 1 {
			toward += math.Pi
		}
		c.below[at].text = arrow(toward) + " " + c.flows[way]
	}
}

// arrow points in one of eight directions.
func arrow(angle float64) string {
	i := int(math.Round(angle/(math.Pi/4))) % 8
	return []string{"→", "↘", "↓", "↙", "←", "↖", "↑", "↗"}[(i+8)%8]
}
