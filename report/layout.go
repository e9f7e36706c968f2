package report

import (
	"math"
	"sort"
	"strings"

	"linerate/result"
)

// box is a host or switch in the drawing of the fabric; X and Y are its centre.
type box struct {
	name, sub  string
	x, y, w, h float64
	lines      []string // its ports with their addresses
	isSwitch   bool
}

// wire is a link in the drawing: where it leaves both boxes.
type wire struct {
	link   *result.PictureLink
	a, b   *box
	ax, ay float64
	bx, by float64
}

// scene is a fabric laid out.
type scene struct {
	w, h  float64
	boxes []*box
	wires []wire
	kind  string // pair, circle or rows
}

const letter = 6.7 // mean width of a letter at the drawing's size of type

// layout places hosts side by side (two), on a circle (without switches), or in
// a row under the switches. Hosts without a link are left out.
func layout(p *result.Picture) scene {
	linked := map[string]bool{}
	for _, l := range p.Links {
		for _, id := range l.Ends {
			linked[ownerOf(id)] = true
		}
	}
	byName := map[string]*box{}
	var hosts, switches []*box
	for _, h := range p.Hosts {
		if !linked[h.Name] || byName[h.Name] != nil {
			continue
		}
		b := &box{name: h.Name, sub: clean(h.OS), h: 30}
		longest := max(width(shorten(h.Name, 18))+2, 12)
		for _, port := range h.Ports {
			if port.Address == "" {
				continue
			}
			address, _, _ := strings.Cut(port.Address, "/")
			line := shorten(shortPort(port.ID), 10) + "  " + shorten(address, 22)
			b.lines = append(b.lines, line)
			longest = max(longest, width(line))
		}
		b.w = float64(longest)*letter + 26
		b.h += 17 * float64(len(b.lines))
		byName[h.Name] = b
		hosts = append(hosts, b)
	}
	for _, name := range p.Switches {
		b := &box{name: name, w: 130, h: 36, isSwitch: true}
		byName[name] = b
		switches = append(switches, b)
	}
	s := scene{boxes: append(append([]*box{}, switches...), hosts...)}
	for i := range p.Links {
		l := &p.Links[i]
		a, b := byName[ownerOf(l.Ends[0])], byName[ownerOf(l.Ends[1])]
		if a != nil && b != nil && a != b {
			s.wires = append(s.wires, wire{link: l, a: a, b: b})
		}
	}
	switch {
	case len(s.boxes) == 0:
	case len(switches) > 0:
		s.rows(switches, hosts)
	case len(hosts) <= 2:
		s.sideBySide(hosts)
	default:
		s.circle(hosts)
	}
	return s
}

func ownerOf(id string) string {
	owner, _, _ := strings.Cut(id, ".")
	return owner
}

func (s *scene) sideBySide(hosts []*box) {
	s.kind, s.w = "pair", 620
	const step = 84
	high := float64(len(s.wires)) * step
	for _, b := range hosts {
		b.h = max(b.h, high-24)
		high = max(high, b.h)
	}
	s.h = high + 44
	mid := s.h / 2
	for i, b := range hosts {
		b.x, b.y = b.w/2+14, mid
		if i == 1 {
			b.x = s.w - b.w/2 - 14
		}
	}
	for i := range s.wires {
		w := &s.wires[i]
		y := mid + (float64(i)-float64(len(s.wires)-1)/2)*step
		w.ay, w.by = y, y
		w.ax, w.bx = w.a.x+w.a.w/2, w.b.x-w.b.w/2
		if w.a.x > w.b.x {
			w.ax, w.bx = w.a.x-w.a.w/2, w.b.x+w.b.w/2
		}
	}
}

func (s *scene) circle(hosts []*box) {
	s.kind = "circle"
	n := float64(len(hosts))
	wide, high := 0.0, 0.0
	for _, b := range hosts {
		wide, high = max(wide, b.w), max(high, b.h)
	}
	rx, ry := max(190, n*44), max(150, n*34)
	s.w, s.h = max(620, 2*rx+wide+30), 2*ry+high+70
	first := -math.Pi / 2
	if len(hosts) == 4 {
		first = -3 * math.Pi / 4
		rx, ry = rx*1.2, ry*1.1
		s.w, s.h = max(620, 2*rx+30), 2*ry*0.75+high+110
	}
	cy := s.h/2 - 8
	if len(hosts) == 3 {
		s.h -= ry / 2
		cy = ry + high/2 + 14
	}
	for i, b := range hosts {
		angle := first + 2*math.Pi*float64(i)/n
		b.x, b.y = s.w/2+rx*math.Cos(angle), cy+ry*math.Sin(angle)
		b.x = min(max(b.x, b.w/2+6), s.w-b.w/2-6)
	}
	s.connect()
}

// rows puts the switches above the hosts that are plugged into them.
func (s *scene) rows(switches, hosts []*box) {
	s.kind = "rows"
	wires := map[*box]float64{}
	for _, w := range s.wires {
		wires[w.a]++
		wires[w.b]++
	}
	gap := 26.0
	if len(s.wires) <= 6 {
		gap = 76 // room for what each carries
	}
	total := 0.0
	for _, b := range hosts {
		b.w = max(b.w, 128, 54*wires[b])
		total += b.w + gap
	}
	s.w = max(620, total+gap, float64(len(switches))*200)
	x := (s.w - total + gap) / 2
	high := 0.0
	for _, b := range hosts {
		b.x = x + b.w/2
		x += b.w + gap
		high = max(high, b.h)
	}
	for i, b := range switches {
		room := s.w / float64(len(switches))
		b.w = max(130, room-28)
		b.x, b.y = room*(float64(i)+0.5), 34
	}
	for _, b := range hosts {
		b.y = 226 + b.h/2
	}
	s.h = 226 + high + 16
	s.connect()
	used := map[*box]float64{}
	for i := range s.wires {
		w := &s.wires[i]
		host, hx, hy, top, sx, sy := w.a, &w.ax, &w.ay, w.b, &w.bx, &w.by
		if w.a.isSwitch {
			host, hx, hy, top, sx, sy = w.b, &w.bx, &w.by, w.a, &w.ax, &w.ay
		}
		if host.isSwitch || !top.isSwitch {
			continue
		}
		used[host]++
		*hx, *hy = host.x-host.w/2+host.w*used[host]/(wires[host]+1), host.y-host.h/2
		if len(switches) == 1 { // straight down: a switch's port above its host
			*sx, *sy = min(max(*hx, top.x-top.w/2+20), top.x+top.w/2-20), top.y+top.h/2
		}
	}
	if len(switches) > 1 {
		for _, b := range switches {
			s.spread(b)
		}
	}
}

// spread puts a switch's ports along its lower edge in the order of their hosts.
func (s *scene) spread(b *box) {
	type port struct{ far, x, y *float64 }
	var ports []port
	for i := range s.wires {
		w := &s.wires[i]
		switch {
		case w.a == b && !w.b.isSwitch:
			ports = append(ports, port{&w.bx, &w.ax, &w.ay})
		case w.b == b && !w.a.isSwitch:
			ports = append(ports, port{&w.ax, &w.bx, &w.by})
		}
	}
	sort.SliceStable(ports, func(i, j int) bool { return *ports[i].far < *ports[j].far })
	for i, p := range ports {
		*p.x, *p.y = b.x-b.w/2+b.w*float64(i+1)/float64(len(ports)+1), b.y+b.h/2
	}
}

// connect draws every link from edge to edge on the line between the centres;
// links between the same boxes run beside each other.
func (s *scene) connect() {
	same := map[[2]*box]int{}
	count := map[[2]*box]int{}
	key := func(w *wire) [2]*box {
		if w.a.x > w.b.x || w.a.x == w.b.x && w.a.y > w.b.y {
			return [2]*box{w.b, w.a}
		}
		return [2]*box{w.a, w.b}
	}
	for i := range s.wires {
		count[key(&s.wires[i])]++
	}
	for i := range s.wires {
		w := &s.wires[i]
		k := key(w)
		shift := (float64(same[k]) - float64(count[k]-1)/2) * 34
		same[k]++
		dx, dy := k[1].x-k[0].x, k[1].y-k[0].y
		d := math.Hypot(dx, dy)
		if d == 0 {
			d = 1
		}
		ox, oy := -dy/d*shift, dx/d*shift
		w.ax, w.ay = edge(w.a, w.b.x-w.a.x, w.b.y-w.a.y, ox, oy)
		w.bx, w.by = edge(w.b, w.a.x-w.b.x, w.a.y-w.b.y, ox, oy)
	}
}

// edge is where a line from b's centre, moved by (ox, oy), in direction (dx, dy)
// leaves the box.
func edge(b *box, dx, dy, ox, oy float64) (x, y float64) {
	t := math.Inf(1)
	if dx != 0 {
		t = min(t, (math.Copysign(b.w/2, dx)-ox)/dx)
	}
	if dy != 0 {
		t = min(t, (math.Copysign(b.h/2, dy)-oy)/dy)
	}
	if math.IsInf(t, 0) || t < 0 {
		t = 0
	}
	return b.x + ox + t*dx, b.y + oy + t*dy
}
