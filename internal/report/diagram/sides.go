package diagram

import (
	"slices"
	"strings"

	"linerate/internal/report/svg"
)

// sides decides at which edge of its box every port is, at which end of a cable its details are, and the height of each
// row.
func (s *strip) sides() {
	last := len(s.columns) - 1
	for _, c := range s.cables {
		a, b := c.rows[0], c.rows[1]
		switch from, to := a.dev.column, b.dev.column; {
		case from == to && from == 0 && last > 0:
			a.on, b.on = left, left
		case from == to && from == last:
			a.on, b.on = right, right
		case from == to:
			a.on, b.on = left, left
		case from == to-1:
			a.on, b.on = right, left
		case to == from-1:
			a.on, b.on = left, right
		default: // the first and the last column of three
			c.over = true
			a.on, b.on = left, right
			if from > to {
				a.on, b.on = right, left
			}
		}
		c.full = fullEnd(a, b)
		c.level = s.follows[a.dev.column] >= 0 && !b.dev.isSwitch || s.follows[b.dev.column] >= 0 && !a.dev.isSwitch
	}
	for _, column := range s.columns {
		for _, b := range column {
			b.settle(last)
		}
	}
}

// fullEnd returns the end of a cable with its details: at the host of a host and a switch, at the upper end of a cable
// within a column, else at the right end.
func fullEnd(a, b *plug) int {
	switch {
	case a.dev.isSwitch != b.dev.isSwitch && b.dev.isSwitch:
		return 0
	case a.dev.isSwitch != b.dev.isSwitch:
		return 1
	case a.dev.column > b.dev.column || a.dev.column == b.dev.column && a.dev != b.dev:
		return 0
	}
	return 1
}

// settle moves free ports to the edge of the NIC's other ports.
func (b *device) settle(last int) {
	facing := right
	if b.column == last && last > 0 {
		facing = left
	}
	for _, c := range b.nics {
		votes := map[edge]int{}
		for _, r := range c.rows {
			if r.cable != nil {
				votes[r.on]++
			}
		}
		on := facing
		switch {
		case votes[left] > votes[right]:
			on = left
		case votes[right] > votes[left]:
			on = right
		}
		before := on
		for _, r := range c.rows {
			switch {
			case r.cable != nil:
				before = r.on
			case r.port == "" && !r.bond:
				r.on = before // a function, below its port
			case r.bond && votes[left] > 0 && votes[right] > 0:
				r.on = whole
			case r.aside && (votes[left] == 0 || votes[right] == 0):
				r.on = -on
			default:
				r.on = on
			}
		}
	}
}

// order sorts the rows of switches by the other ends of their cables, so that few cross. Ports of hosts keep their
// order on the NIC.
func (s *strip) order() {
	at := map[*device]int{}
	for _, column := range s.columns {
		for i, b := range column {
			at[b] = i
		}
	}
	inBox := func(r *plug) int {
		n := 0
		for _, c := range r.dev.nics {
			if i := slices.Index(c.rows, r); i >= 0 {
				return n + i
			}
			n += len(c.rows)
		}
		return n
	}
	for _, column := range s.columns {
		for _, b := range column {
			if !b.isSwitch {
				continue
			}
			key := map[*plug][2]int{}
			for _, r := range b.nics[0].rows {
				if o := r.cable.other(r); o.dev.isSwitch {
					key[r] = [2]int{at[o.dev], 0}
				} else {
					key[r] = [2]int{at[o.dev], inBox(o)}
				}
			}
			slices.SortStableFunc(b.nics[0].rows, func(x, y *plug) int {
				if d := key[x][0] - key[y][0]; d != 0 {
					return d
				}
				return key[x][1] - key[y][1]
			})
		}
	}
}

// labelRoom is the width from which on the text at a cable is wrapped.
const labelRoom = 168.0

// labels returns the lines above a row's cable, and those below it.
func (r *plug) labels() (above, below []svg.TextLine) {
	if r.cable == nil {
		return nil, nil
	}
	if r.cable.level && r.cable.full != r.end {
		return nil, nil
	}
	above = svg.Folded("name beside", r.cable.label(), labelRoom)
	if r.cable.full != r.end || r.cable.over {
		return above, nil
	}
	if below = r.cable.below; r.cable.dense && len(above) == 1 && len(below) > 0 {
		one := svg.TextLine{Class: "word beside", Lead: above[0].Text, Text: joined(below)}
		if one.Width() < labelRoom*1.6 {
			return []svg.TextLine{one}, nil
		}
	}
	return above, below
}

// measure computes the height of a row above and below its middle.
func (r *plug) measure() {
	half := max(float64(len(r.text))*svg.TextHeight/2+2, 11)
	r.up, r.down = half, half
	above, below := r.labels()
	if r.aside { // level with the port next to it
		for _, o := range r.dev.rows() {
			if o.cable != nil {
				r.up = max(r.up, o.cable.wide/2+5+svg.TextHeight)
				break
			}
		}
	}
	if len(above) > 0 {
		r.up = max(r.up, r.cable.wide/2+3+svg.TextHeight*float64(len(above))+2)
	}
	if len(below) > 0 {
		r.down = max(r.down, r.cable.wide/2+3+svg.TextHeight*float64(len(below))+2)
	}
}

func joined(lines []svg.TextLine) string {
	parts := make([]string, len(lines))
	for i, l := range lines {
		parts[i] = l.Text
	}
	return strings.Join(parts, ", ")
}
