package diagram

import (
	"math"
	"slices"

	"linerate/internal/report/svg"
)

// Distances in a drawing, in pixels.
const (
	boxPad    = 9.0  // from the edge of a box or NIC to what is in it
	boxGap    = 20.0 // between two boxes of a column
	nicGap    = 6.0
	plugSize  = 18.0 // of a port
	labelPad  = 8.0  // from a box to the text at its cable
	loopRoom  = 14.0 // for the loop around the cables of a bond
	laneGap   = 7.0  // between two cables side by side
	stripGap  = 44.0
	drawEdge  = 8.0
	drawLeast = 300.0
)

// place assigns positions to all boxes, ports and cables, and the size of the strip.
func (s *strip) place() {
	s.sides()
	s.order()
	for _, column := range s.columns {
		for _, b := range column {
			for _, r := range b.rows() {
				r.measure()
			}
			b.stack()
		}
	}
	s.vertical()
	s.horizontal()
	s.route()
	s.settleSize()
}

func (b *device) rows() []*plug {
	var out []*plug
	for _, c := range b.nics {
		out = append(out, c.rows...)
	}
	return out
}

// stack places the content of a box from its upper edge down, and computes the size of the box.
func (b *device) stack() {
	b.head = boxPad/2 + svg.TextHeight*float64(len(b.title)) + 4
	w := svg.Widest(b.title)
	y := b.head
	for _, c := range b.nics {
		c.y = y
		if len(c.head) > 0 {
			y += 3 + svg.TextHeight*float64(len(c.head))
		}
		w = max(w, svg.Widest(c.head)+2*boxPad)
		down := map[edge]float64{left: y, right: y}
		room := map[edge]float64{}
		for _, r := range c.rows {
			if r.on == whole {
				w = max(w, svg.Widest(r.text)+4*boxPad)
				top := max(down[left], down[right])
				r.y = top + r.up
				down[left], down[right] = r.y+r.down, r.y+r.down
				continue
			}
			top := down[r.on]
			if r.port == "" {
				room[r.on] = max(room[r.on], svg.Widest(r.text)+2*boxPad)
			} else {
				room[r.on] = max(room[r.on], plugWidth(r.port)+6+svg.Widest(r.text))
			}
			r.y = top + r.pre + r.up
			down[r.on] = r.y + r.down
		}
		gap := 0.0
		if room[left] > 0 && room[right] > 0 {
			gap = 14
		}
		w = max(w, room[left]+gap+room[right]+boxPad)
		y = max(down[left], down[right]) + 3
		c.h = y - c.y
		y += nicGap
	}
	w = max(w, svg.Widest(b.notes))
	b.w = math.Ceil(w + 2*boxPad)
	b.h = y + svg.TextHeight*float64(len(b.notes))
	if len(b.notes) > 0 {
		b.h += 3
	}
}

func plugWidth(text string) float64 { return max(plugSize, svg.TextWidth(text, false)+6) }

// move shifts a box with its content.
func (b *device) move(dy float64) {
	b.y += dy
	for _, c := range b.nics {
		c.y += dy
		for _, r := range c.rows {
			r.y += dy
		}
	}
}

// vertical places the boxes of every column. Columns of switches that follow their hosts come last.
func (s *strip) vertical() {
	if len(s.columns) == 2 && len(s.columns[0]) == 1 && len(s.columns[1]) == 1 {
		s.level()
		s.levelled = true
	}
	high := 0.0
	for i, column := range s.columns {
		if s.follows[i] >= 0 {
			continue
		}
		y := 0.0
		for _, b := range column {
			b.move(max(y, s.below(i, b, y)))
			y = b.y + b.h + s.gap()
		}
		high = max(high, y-s.gap())
	}
	for i, column := range s.columns {
		if s.follows[i] >= 0 || len(column) == 0 {
			continue
		}
		end := column[len(column)-1]
		spare := (high - end.y - end.h) / 2
		if s.levelled {
			spare = 0
		}
		for _, b := range column {
			b.move(spare)
		}
	}
	for i, column := range s.columns {
		if s.follows[i] >= 0 {
			for _, b := range column {
				b.follow()
			}
		}
	}
}

// level moves the ports of two boxes down until those of one cable are at one height, as far as their order allows.
func (s *strip) level() {
	b := s.columns[1][0]
	for _, r := range s.columns[0][0].rows() {
		if r.cable == nil || r.cable.other(r).dev != b {
			continue
		}
		o := r.cable.other(r)
		if r.y < o.y {
			r.pre += o.y - r.y
		} else {
			o.pre += r.y - o.y
		}
		r.dev.stack()
		b.stack()
	}
}

// below returns the y position of a host at which its switch, with everything at its other edge, does not overlap the
// switch above.
func (s *strip) below(column int, b *device, y float64) float64 {
	i := slices.Index(s.follows, column)
	if i < 0 || len(s.columns[i]) < 2 {
		return y
	}
	var mine *device
	first := 0.0
	for _, r := range b.rows() {
		if r.cable != nil && r.cable.other(r).dev.column == i {
			mine, first = r.cable.other(r).dev, r.y-max(r.up, r.cable.other(r).up)
			break
		}
	}
	at := slices.Index(s.columns[i], mine)
	if at < 1 || mine.begun {
		return y
	}
	mine.begun = true
	before := s.columns[i][at-1]
	before.follow()
	return max(y, before.y+before.h+s.gap()+mine.head-first)
}

// follow puts a switch and its ports level with its hosts.
func (b *device) follow() {
	top, bottom := math.Inf(1), math.Inf(-1)
	var free []*plug
	for _, r := range b.rows() {
		o := r.cable.other(r)
		if o.dev.isSwitch {
			free = append(free, r)
			continue
		}
		r.y = o.y
		top, bottom = min(top, r.y-max(r.up, o.up)), max(bottom, r.y+max(r.down, o.down))
	}
	b.y = top - b.head
	y := map[edge]float64{left: top, right: top}
	for _, r := range free {
		r.y = y[r.on] + r.up
		y[r.on] = r.y + r.down
		bottom = max(bottom, y[r.on])
	}
	b.nics[0].y, b.nics[0].h = top, bottom-top
	b.h = bottom - b.y + nicGap + svg.TextHeight*float64(len(b.notes))
}

// horizontal places the columns: between two of them there is room for the text at
// both ends of the cables, for cables within a column, and for those that slant.
func (s *strip) horizontal() {
	x := 0.0
	for i, column := range s.columns {
		if i > 0 {
			x += s.slant(i - 1)
		}
		x += s.zone(i, left) + s.lanes(i, left)
		w := 0.0
		for _, b := range column {
			w = max(w, b.w)
		}
		for _, b := range column {
			b.x, b.w = x, w
		}
		x += w + s.zone(i, right) + s.lanes(i, right)
	}
}

// zone returns the room for the text at the cables of one side of a column.
func (s *strip) zone(column int, on edge) float64 {
	w := 0.0
	for _, b := range s.columns[column] {
		for _, r := range b.rows() {
			if r.cable == nil || r.on != on {
				continue
			}
			above, below := r.labels()
			if len(above) == 0 {
				continue
			}
			loop := 0.0
			if r.looped() {
				loop = loopRoom
			}
			w = max(w, loop+labelPad+svg.Widest(above)+4, loop+labelPad+svg.Widest(below)+4)
		}
	}
	return w
}

// slant returns the width of the space in which cables change their height.
func (s *strip) slant(gap int) float64 {
	most := 0.0
	for _, c := range s.cables {
		a, b := c.rows[0], c.rows[1]
		if !c.over && min(a.dev.column, b.dev.column) == gap && a.dev.column != b.dev.column {
			most = max(most, math.Abs(a.y-b.y))
		}
	}
	if most < 1 {
		return 22
	}
	return min(max(most*0.5, 44), 150)
}

// gap returns the distance between the boxes of a column, larger for the sides of a polygon.
func (s *strip) gap() float64 {
	if s.round {
		return 2 * boxGap
	}
	if len(s.cables) > 0 && s.cables[0].dense {
		return boxGap / 2
	}
	return boxGap
}

// looped reports whether the port's cable has a loop around it: that of a bond with another member next to it.
func (r *plug) looped() bool {
	if r.bonded == "" {
		return false
	}
	return slices.ContainsFunc(r.dev.rows(), func(o *plug) bool {
		return o != r && o.on == r.on && o.bonded == r.bonded
	})
}
