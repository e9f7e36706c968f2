package diagram

import (
	"html/template"
	"math"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/svg"
)

// FabricDrawing draws the fabric of a run. The width of a cable shows its rate. It has one lane for each direction,
// filled to the measured share of the ceiling.
func FabricDrawing(r *record.Run, all []result.Row) (drawn template.HTML, note string) {
	d, ok := drawable(&r.Plan)
	if !ok {
		return "", d.note
	}
	carried := Flows(r, all)
	for _, c := range d.cables {
		c.wide = 2*thickness(c.link.Rate) + 2.4
		if c.group() {
			continue
		}
		for way, f := range carried[c.link.Name] {
			if !f.Known {
				continue
			}
			text := format.Rate(f.Goodput)
			if f.Ceiling {
				text += ", " + unit.Percent(f.Share)
			}
			c.flows[way] = text
		}
	}
	held := limits(all)
	for _, b := range d.devices {
		if of := held[b.name]; len(of) > 0 && b.count == 1 {
			b.limiting = true
			b.title = append(b.title, svg.Folded("limit", "limits "+format.Arrows(of[0]), titleRoom)...)
		}
	}
	drawn = d.draw("The fabric "+format.Clean(r.Fabric), func(s *svg.Drawing, c *cable) {
		f := carried[c.link.Name]
		if c.group() {
			f = [2]Flow{}
		}
		drawLanes(s, c, f)
	})
	return drawn, d.note
}

// limits lists, by host, the paths of which it is the bottleneck.
func limits(all []result.Row) map[string][]string {
	out := map[string][]string{}
	for _, w := range all {
		for _, c := range w.Combinations {
			if v := c.E.Verdict; v != nil && !result.Healthy(v) && !slices.Contains(out[v.Component], w.Path()) {
				out[v.Component] = append(out[v.Component], w.Path())
			}
		}
	}
	return out
}

// PictureDrawing draws a fabric as planned: hosts with their NICs and ports, switches, cables. The note says what is
// grouped or omitted.
func PictureDrawing(name string, p *record.Picture) (drawn template.HTML, note string) {
	d, ok := drawable(p)
	if !ok {
		return "", d.note
	}
	for _, c := range d.cables {
		c.wide = lineWidth(c.link.Rate)
	}
	drawn = d.draw("The fabric "+format.Clean(name), nil)
	return drawn, d.note
}

// lineWidth of a cable in pixels grows with the logarithm of its rate.
func lineWidth(r unit.BitRate) float64 {
	if r <= 0 {
		return 1.6
	}
	return min(max(1.6+1.5*math.Log10(float64(r)/1e9), 1.2), 6)
}

// drawLanes draws both lanes of a cable.
func drawLanes(s *svg.Drawing, c *cable, f [2]Flow) {
	thick, lane := thickness(c.link.Rate), "lane"
	if c.link.Rate <= 0 {
		lane = "lane dashed"
	}
	for way := range 2 {
		points := nextTo(c.points, thick/2+1.2) // the lane from a to b lies to the left of its direction
		if way == 1 {
			points = nextTo(backwards(c.points), thick/2+1.2)
		}
		s.Way(lane, points, thick)
		if f[way].Known && f[way].Ceiling {
			s.Part("flow", points, thick, min(max(f[way].Share, 0), 1))
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

// nextTo returns a line at a distance to the left of another.
func nextTo(points [][2]float64, distance float64) [][2]float64 {
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

// pointed adds arrows to the goodputs of a cable, in the direction in which it leaves its first end.
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
		c.below[at].Text = arrow(toward) + " " + c.flows[way]
	}
}

// arrow points in one of eight directions.
func arrow(angle float64) string {
	i := int(math.Round(angle/(math.Pi/4))) % 8
	return []string{"→", "↘", "↓", "↙", "←", "↖", "↑", "↗"}[(i+8)%8]
}

// Flow is the highest goodput measured over a link in one direction.
type Flow struct {
	Share   float64
	Ceiling bool // share is known
	Goodput float64
	Known   bool
}

// Flows finds, for every link, what was measured from its first end to its second and back.
func Flows(r *record.Run, all []result.Row) map[string][2]Flow {
	ends := map[string][2]string{}
	for _, l := range r.Plan.Links {
		ends[l.Name] = [2]string{ownerOf(l.Ends[0]), ownerOf(l.Ends[1])}
	}
	out := map[string][2]Flow{}
	for _, w := range all {
		if w.Both {
			continue // a link shared with the other direction shows less about this one
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
				continue // between two switches: the row does not have the direction
			}
			pair := out[name]
			for _, c := range w.Combinations {
				if c.Goodput != nil && c.Goodput.Median > pair[way].Goodput {
					share, ok := c.Share()
					pair[way] = Flow{Share: share, Ceiling: ok, Goodput: c.Goodput.Median, Known: true}
				}
			}
			out[name] = pair
		}
	}
	return out
}

// thickness of one lane in pixels grows with the logarithm of the rate.
func thickness(r unit.BitRate) float64 {
	if r <= 0 {
		return 2
	}
	return min(max(3+2.5*math.Log10(float64(r)/1e9), 2), 10)
}
