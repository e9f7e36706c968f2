package diagram

import (
	"slices"

	"linerate/internal/base/xslices"
)

// strip is one connected part of a fabric in columns of boxes. Every cable runs between neighbouring columns, or along
// its own column, so that none can meet a box.
type strip struct {
	columns [][]*device
	cables  []*cable
	// follows is, for a column of switches, the column of hosts whose ports are level with its own ports; -1: none.
	follows []int
	round   bool // the columns are the sides of a polygon
	// levelled reports whether ports at both ends of a cable are at one height.
	levelled   bool
	wide, high float64
}

// strips divides a diagram into its connected parts, in the order of their first boxes, and gives every box its column.
func (d *diagram) strips() []*strip {
	part := map[*device]int{}
	near := neighbours(d.cables)
	var out []*strip
	for _, first := range d.devices {
		if _, ok := part[first]; ok {
			continue
		}
		n := len(out)
		part[first] = n
		for queue := []*device{first}; len(queue) > 0; queue = queue[1:] {
			for _, next := range near[queue[0]] {
				if _, ok := part[next]; !ok {
					part[next] = n
					queue = append(queue, next)
				}
			}
		}
		out = append(out, &strip{})
	}
	members := make([][]*device, len(out))
	for _, b := range d.devices {
		members[part[b]] = append(members[part[b]], b)
	}
	for _, c := range d.cables {
		s := out[part[c.rows[0].dev]]
		s.cables = append(s.cables, c)
	}
	for i, s := range out {
		s.arrange(members[i], near)
	}
	return out
}

func neighbours(cables []*cable) map[*device][]*device {
	near := map[*device][]*device{}
	for _, c := range cables {
		a, b := c.rows[0].dev, c.rows[1].dev
		near[a] = append(near[a], b)
		if a != b {
			near[b] = append(near[b], a)
		}
	}
	return near
}

// arrange chooses the columns: hosts around a polygon, hosts on both sides of a
// switch, a switch on each side of the hosts, or tiers from left to right.
func (s *strip) arrange(all []*device, near map[*device][]*device) {
	var hosts, switches []*device
	for _, b := range all {
		if b.isSwitch {
			switches = append(switches, b)
		} else {
			hosts = append(hosts, b)
		}
	}
	direct := false // hosts joined with hosts
	for _, c := range s.cables {
		direct = direct || !c.rows[0].dev.isSwitch && !c.rows[1].dev.isSwitch
	}
	switch {
	case len(hosts) == 0:
		s.polygon(switches)
	case len(switches) == 0 && hub(hosts, near) != nil:
		h := hub(hosts, near)
		s.columns = [][]*device{{h}, without(hosts, h)}
	case len(switches) == 0:
		s.polygon(hosts)
	case len(switches) == 1 && !direct && len(hosts) > 1:
		a, b := halves(hosts)
		s.columns, s.follows = [][]*device{a, switches, b}, []int{-1, 0, -1}
	case len(switches) == 1 && !direct:
		s.columns, s.follows = [][]*device{hosts, switches}, []int{-1, 0}
	case len(switches) == 2 && !direct && s.between(hosts, switches, near):
	default:
		s.tiers(hosts, switches, near)
	}
	for len(s.follows) < len(s.columns) {
		s.follows = append(s.follows, -1)
	}
	for i, c := range s.columns {
		for _, b := range c {
			b.column = i
		}
	}
}

// polygon puts boxes clockwise around a polygon: half of them down the right edge, the others up the left one.
func (s *strip) polygon(all []*device) {
	if len(all) == 1 {
		s.columns = [][]*device{all}
		return
	}
	s.round = len(all) > 2
	n := len(all) / 2
	a := slices.Clone(all[:1])
	if n > 1 {
		back := slices.Clone(all[len(all)-(n-1):])
		slices.Reverse(back)
		a = append(a, back...)
	}
	s.columns = [][]*device{a, all[1 : len(all)-(n-1)]}
}

// hub returns the host with all cables, if three or more others are connected to it.
func hub(hosts []*device, near map[*device][]*device) *device {
	for _, h := range hosts {
		alone := len(hosts) > 3
		for _, other := range hosts {
			if other == h {
				continue
			}
			for _, n := range near[other] {
				alone = alone && n == h
			}
		}
		if alone {
			return h
		}
	}
	return nil
}

func without(all []*device, b *device) []*device {
	return slices.DeleteFunc(slices.Clone(all), func(o *device) bool { return o == b })
}

// halves divides hosts in their order into two columns of nearly the same height.
func halves(hosts []*device) (a, b []*device) {
	weight := func(h *device) int {
		n := 3
		for _, c := range h.nics {
			n += 1 + len(c.rows)
		}
		return n
	}
	total := xslices.Sum(hosts, weight)
	sum := 0
	for i, h := range hosts {
		sum += weight(h)
		if i+1 < len(hosts) && (2*sum >= total || i+2 == len(hosts)) {
			return hosts[:i+1], hosts[i+1:]
		}
	}
	return hosts, nil
}

// between puts two switches on both sides of their hosts, or, if no host is connected to both, the hosts outside of
// them.
func (s *strip) between(hosts, switches []*device, near map[*device][]*device) bool {
	a, b := switches[0], switches[1]
	var onA, onB, both []*device
	for _, h := range hosts {
		switch inA, inB := slices.Contains(near[h], a), slices.Contains(near[h], b); {
		case inA && inB:
			both = append(both, h)
		case inA:
			onA = append(onA, h)
		default:
			onB = append(onB, h)
		}
	}
	switch {
	case len(both) > 0:
		s.columns, s.follows = [][]*device{{a}, hosts, {b}}, []int{1, -1, 1}
	case len(onA) == 0 || len(onB) == 0:
		return false // a tier above
	default:
		s.columns, s.follows = [][]*device{onA, {a}, {b}, onB}, []int{-1, 0, 3, -1}
	}
	return true
}

// tiers puts switches into columns by how far they are from the hosts, the
// furthest at the left, and the hosts at the right.
func (s *strip) tiers(hosts, switches []*device, near map[*device][]*device) {
	tier := map[*device]int{}
	queue := slices.Clone(hosts)
	for _, h := range hosts {
		tier[h] = 0
	}
	top := 0
	for ; len(queue) > 0; queue = queue[1:] {
		for _, n := range near[queue[0]] {
			if _, ok := tier[n]; !ok {
				tier[n] = tier[queue[0]] + 1
				top = max(top, tier[n])
				queue = append(queue, n)
			}
		}
	}
	s.columns = make([][]*device, top+1)
	for _, b := range switches {
		at := top - tier[b]
		s.columns[at] = append(s.columns[at], b)
	}
	leaf := map[*device]int{}
	for i, b := range s.columns[top-1] {
		leaf[b] = i
	}
	first := func(h *device) int {
		n := len(leaf)
		for _, o := range near[h] {
			if i, ok := leaf[o]; ok {
				n = min(n, i)
			}
		}
		return n
	}
	s.columns[top] = slices.Clone(hosts)
	slices.SortStableFunc(s.columns[top], func(a, b *device) int { return first(a) - first(b) })
	s.follows = make([]int, top+1)
	for i := range s.follows {
		s.follows[i] = -1
	}
	if s.single(hosts, near) {
		s.follows[top-1] = top
	}
}

// single reports whether no host is connected to two switches. Each switch is then level with its own hosts.
func (s *strip) single(hosts []*device, near map[*device][]*device) bool {
	for _, h := range hosts {
		var at *device
		for _, n := range near[h] {
			if !n.isSwitch {
				continue
			}
			if at != nil && at != n {
				return false
			}
			at = n
		}
		if at == nil {
			return false
		}
	}
	return true
}
