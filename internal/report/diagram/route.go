package diagram

import (
	"math"
	"slices"

	"linerate/internal/report/svg"
)

// lane is the room that cables within one column have at a side of it.
type lane struct {
	column int
	on     edge
}

// route finds the route of every cable.
func (s *strip) route() {
	within := map[lane][]*cable{}
	var over []*cable
	for _, c := range s.cables {
		a, b := c.rows[0], c.rows[1]
		switch {
		case c.over:
			over = append(over, c)
		case a.dev.column == b.dev.column:
			k := lane{a.dev.column, a.on}
			within[k] = append(within[k], c)
		default:
			ax, bx := s.plug(a), s.plug(b)
			c.points = [][2]float64{{ax, a.y}, {s.out(a), a.y}, {s.out(b), b.y}, {bx, b.y}}
			if math.Abs(a.y-b.y) < 0.05 {
				c.points = [][2]float64{{ax, a.y}, {bx, b.y}}
			}
		}
	}
	for k, cables := range within {
		for _, c := range cables {
			a, b := c.rows[0], c.rows[1]
			x := s.laneAt(k, c)
			c.points = [][2]float64{{s.plug(a), a.y}, {x, a.y}, {x, b.y}, {s.plug(b), b.y}}
		}
	}
	s.around(over)
}

// plug returns the x position at which a port's cable leaves the box.
func (s *strip) plug(r *plug) float64 {
	if r.on == left {
		return r.dev.x
	}
	return r.dev.x + r.dev.w
}

// out returns the x position at which a cable has passed the text and the lanes of its own column.
func (s *strip) out(r *plug) float64 {
	k := r.dev.column
	return s.plug(r) + float64(r.on)*(s.zone(k, r.on)+s.lanes(k, r.on))
}

// laneOf assigns a lane to every cable within a column, counted from the boxes outwards: short ones inside, and none
// that touch in one lane.
func (s *strip) laneOf(k lane) (map[*cable]int, int) {
	var all []*cable
	for _, c := range s.cables {
		if a, b := c.rows[0], c.rows[1]; !c.over && a.dev.column == k.column && b.dev.column == k.column && a.on == k.on {
			all = append(all, c)
		}
	}
	length := func(c *cable) float64 { return math.Abs(c.rows[0].y - c.rows[1].y) }
	slices.SortStableFunc(all, func(a, b *cable) int { return int(math.Copysign(1, length(a)-length(b)-1e-9)) })
	at := map[*cable]int{}
	var used [][]*cable
	for _, c := range all {
		n := slices.IndexFunc(used, func(in []*cable) bool {
			return !slices.ContainsFunc(in, func(o *cable) bool { return touch(c, o) })
		})
		if n < 0 {
			n = len(used)
			used = append(used, nil)
		}
		used[n] = append(used[n], c)
		at[c] = n
	}
	return at, len(used)
}

// touch reports whether two cables in one lane would come too close.
func touch(a, b *cable) bool {
	low := func(c *cable) float64 { return min(c.rows[0].y, c.rows[1].y) }
	high := func(c *cable) float64 { return max(c.rows[0].y, c.rows[1].y) }
	return low(a) < high(b)+10 && low(b) < high(a)+10
}

func (s *strip) pitch() float64 {
	w := 0.0
	for _, c := range s.cables {
		w = max(w, c.wide)
	}
	return w + laneGap
}

// lanes returns the width of the lanes at one side of a column.
func (s *strip) lanes(column int, on edge) float64 {
	_, n := s.laneOf(lane{column, on})
	if n == 0 {
		return 0
	}
	return float64(n)*s.pitch() + 6
}

func (s *strip) laneAt(k lane, c *cable) float64 {
	at, _ := s.laneOf(k)
	r := c.rows[0]
	return s.plug(r) + float64(k.on)*(s.zone(k.column, k.on)+6+s.pitch()*(float64(at[c])+0.5))
}

// around routes cables between the outer columns over the top of everything in between.
func (s *strip) around(over []*cable) {
	top := math.Inf(1)
	for _, column := range s.columns {
		for _, b := range column {
			top = min(top, b.y)
		}
	}
	for i, c := range over {
		a, b := c.rows[0], c.rows[1]
		turned := a.on != left
		if turned {
			a, b = b, a
		}
		step := s.pitch() * float64(i+1)
		// The text is above the line, so each further line is a text higher.
		y := top - 8 - float64(i)*(svg.TextHeight*2+c.wide)
		c.points = [][2]float64{
			{s.plug(a), a.y},
			{s.out(a) - step, a.y},
			{s.out(a) - step, y},
			{s.out(b) + step, y},
			{s.out(b) + step, b.y},
			{s.plug(b), b.y},
		}
		if turned {
			slices.Reverse(c.points)
		}
	}
}

// settleSize moves everything so that the strip begins at 0, 0, and computes its size.
func (s *strip) settleSize() {
	x1, y1, x2, y2 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	see := func(x, y float64) { x1, y1, x2, y2 = min(x1, x), min(y1, y), max(x2, x), max(y2, y) }
	for i, column := range s.columns {
		for _, b := range column {
			see(b.x-s.zone(i, left), b.y)
			see(b.x+b.w+s.zone(i, right), b.y+b.h)
			for _, r := range b.rows() {
				if r.cable != nil {
					see(b.x, r.y-r.up)
					see(b.x, r.y+r.down)
				}
			}
		}
	}
	for _, c := range s.cables {
		for i, p := range c.points {
			see(p[0]-c.wide, p[1]-c.wide)
			see(p[0]+c.wide, p[1]+c.wide)
			if c.over && i == 0 {
				y := c.top()
				see(p[0], y-svg.TextHeight*2)
			}
		}
	}
	s.shift(-x1, -y1)
	s.wide, s.high = x2-x1, y2-y1
}

// top is the height of the uppermost part of a cable.
func (c *cable) top() float64 {
	y := math.Inf(1)
	for _, p := range c.points {
		y = min(y, p[1])
	}
	return y
}

func (s *strip) shift(dx, dy float64) {
	for _, column := range s.columns {
		for _, b := range column {
			b.x += dx
			b.move(dy)
		}
	}
	for _, c := range s.cables {
		for i := range c.points {
			c.points[i][0] += dx
			c.points[i][1] += dy
		}
	}
}
