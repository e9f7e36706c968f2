package diagram

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/svg"
)

// device is a host, a switch, or a group of equal ones, drawn as a box.
type device struct {
	name     string
	sub      string // operating system of a host, part of a switch
	title    []svg.TextLine
	nics     []*nic
	notes    []svg.TextLine // at the foot
	isSwitch bool
	count    int // of a group; else 1

	column     int
	x, y, w, h float64 // left, top
	head       float64 // height of the title
	begun      bool    // its first host has its place
	room       float64 // of text in it before it is folded
	limiting   bool    // it is the measured bottleneck
}

// nic is a NIC with its ports, or the ports of a switch.
type nic struct {
	head []svg.TextLine
	rows []*plug
	y, h float64
}

// edge of a box, or nothing for a row without a place for a plug.
type edge int

const (
	left  edge = -1
	right edge = 1
	whole edge = 0 // a row across the box, without a plug
)

// plug is a port with the text next to it, or an item in the box without a plug: a bond, a function in a virtual
// machine.
type plug struct {
	dev    *device
	port   string // the text in the port; empty: no plug
	text   []svg.TextLine
	cable  *cable
	end    int
	on     edge
	y      float64 // of the port's and the cable's middle
	up     float64 // what it needs above
	down   float64 // and below
	pre    float64 // left free above it
	bonded string  // its bond
	bond   bool    // it is a bond
	aside  bool    // a free port that may be at the other edge than those with cables
}

// cable is a link of the drawing; of a group, all the links that are alike.
type cable struct {
	link   *record.PictureLink
	links  []*record.PictureLink
	rows   [2]*plug
	full   int            // the end with more text than the label
	wide   float64        // of the line
	below  []svg.TextLine // media, length, rate, and what was measured
	flows  [2]string      // what was measured, there and back
	points [][2]float64   // from rows[0] to rows[1]
	dense  bool           // one line of text instead of several
	level  bool           // straight from port to port: nothing is written at its other end
	over   bool           // led round everything between its ends
}

// diagram is a fabric as boxes and cables, before positions are assigned.
type diagram struct {
	devices []*device
	cables  []*cable
	note    string // what is drawn together, or not known of all of it
	dense   bool   // one line of text where there would be several
}

func (c *cable) other(r *plug) *plug { return c.rows[1-r.end] }

// group reports whether the cable is drawn for several.
func (c *cable) group() bool { return len(c.links) > 1 }

// diagramOf makes boxes and cables of a picture. Hosts without a link are omitted, virtual machines are listed in their
// host.
func diagramOf(p *record.Picture) *diagram {
	d := &diagram{}
	byName := map[string]*device{}
	plugged := map[string]bool{}
	for i := range p.Links {
		plugged[ownerOf(p.Links[i].Ends[0])], plugged[ownerOf(p.Links[i].Ends[1])] = true, true
	}
	rows := map[string]*plug{}
	inside := map[string][]*record.PictureHost{}
	for i := range p.Hosts {
		if h := &p.Hosts[i]; h.On != "" {
			inside[h.On] = append(inside[h.On], h)
		}
	}
	d.dense = crowded(p)
	for i := range p.Hosts {
		h := &p.Hosts[i]
		if !plugged[h.Name] || byName[h.Name] != nil {
			continue
		}
		b := hostBox(h, inside[h.Name], rows, d.dense)
		byName[h.Name] = b
		d.devices = append(d.devices, b)
	}
	for i, name := range p.Switches {
		if byName[name] != nil || !plugged[name] {
			continue
		}
		b := &device{name: name, isSwitch: true, count: 1, title: svg.Folded("name", name, titleRoom)}
		if i < len(p.Devices) {
			b.sub = p.Devices[i].Part
			b.title = append(b.title, svg.Folded("small", b.sub, titleRoom)...)
		}
		b.nics = []*nic{{}}
		byName[name] = b
		d.devices = append(d.devices, b)
	}
	for i := range p.Links {
		d.link(&p.Links[i], byName, rows)
	}
	for i, name := range p.Switches {
		if b := byName[name]; b != nil && i < len(p.Devices) && p.Devices[i].Ports > 0 {
			b.notes = svg.Folded("small", portsUsed(len(b.nics[0].rows), p.Devices[i].Ports), titleRoom)
		}
	}
	return d
}

// crowded reports whether hosts are drawn with little room.
func crowded(p *record.Picture) bool {
	hosts, ends := map[string]bool{}, 0
	for _, h := range p.Hosts {
		hosts[h.Name] = true
	}
	linked := map[string]bool{}
	for _, l := range p.Links {
		for _, e := range l.Ends {
			if o := ownerOf(e); hosts[o] {
				linked[o] = true
				ends++
			}
		}
	}
	if len(p.Switches) == 0 { // the sides of a polygon are high anyway, and its boxes should be narrow
		return len(linked) > 12
	}
	return len(linked) >= 10 || ends > 24
}

func portsUsed(used, all int) string {
	return strconv.Itoa(used) + " of " + unit.Counted(all, "port") + " used"
}

// titleRoom is the width from which on names and parts are wrapped.
const titleRoom = 160.0

func (d *diagram) link(l *record.PictureLink, byName map[string]*device, rows map[string]*plug) {
	a, b := byName[ownerOf(l.Ends[0])], byName[ownerOf(l.Ends[1])]
	if a == nil || b == nil {
		return
	}
	c := &cable{link: l, links: []*record.PictureLink{l}}
	for end, dev := range []*device{a, b} {
		r := rows[l.Ends[end]]
		if r == nil || r.cable != nil { // a switch's port, or a second cable in one port
			r = &plug{dev: dev, port: PortNumber(l.Ends[end])}
			if len(l.Ports) == 2 {
				r.text = svg.Folded("small", l.Ports[end], rowRoom)
			}
			if len(dev.nics) == 0 {
				dev.nics = []*nic{{}}
			}
			at := dev.nics[len(dev.nics)-1]
			at.rows = append(at.rows, r)
		}
		r.cable, r.end = c, end
		c.rows[end] = r
	}
	d.cables = append(d.cables, c)
}

// PortNumber returns the text in a port: "2" of nas.cx3.2, "2/3" of sw1.2/3, and 1 of a NIC with one port.
func PortNumber(id string) string {
	if i := strings.LastIndexByte(id, '.'); i >= 0 {
		if n := format.Clean(id[i+1:]); n != "" && n[0] >= '0' && n[0] <= '9' && len(n) < 10 {
			return n
		}
	}
	return "1"
}

// nicOf returns the NIC in a port's id, or the bond.
func nicOf(id string) string {
	parts := strings.Split(id, ".")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}

// details describes a cable: "dac 3 m", "10.0 Gb/s".
func details(l *record.PictureLink) []string {
	medium := format.Clean(l.Cable)
	if medium == "" {
		medium = "cable " + format.NotKnown
	} else if l.Length == nil && l.Media != "" {
		medium += ", length " + format.NotKnown
	}
	speed := "rate " + format.NotKnown
	if l.Rate > 0 {
		speed = l.Rate.String()
	}
	if l.IB {
		speed += " InfiniBand"
	}
	if l.VLAN != 0 {
		return []string{medium, speed, "VLAN " + strconv.Itoa(l.VLAN)}
	}
	return []string{medium, speed}
}

// label returns the text on the cable's label.
func (c *cable) label() string {
	if !c.group() {
		return LabelOf(c.link)
	}
	names := make([]string, len(c.links))
	for i, l := range c.links {
		names[i] = LabelOf(l)
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(a) - len(b) })
	return unit.Counted(len(names), "cable") + ": " + Span(names)
}

// LabelOf is the label of a link, or its name.
func LabelOf(l *record.PictureLink) string {
	if s := format.Clean(l.Label); s != "" {
		return s
	}
	return format.Clean(l.Name)
}

// Span names several things: all of a few, the first and the last of a series, or else some of them.
func Span(names []string) string {
	if len(names) > 2 && series(names) {
		return names[0] + " to " + names[len(names)-1]
	}
	if len(names) <= mostMachines {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:3], ", ") + ", …, " + names[len(names)-1]
}

// series reports whether names differ only in consecutive numbers.
func series(names []string) bool {
	numbered := func(s string) (string, int) {
		at := len(strings.TrimRight(s, "0123456789"))
		n, err := strconv.Atoi(s[at:])
		if err != nil {
			return s, -1
		}
		return s[:at], n
	}
	stem, n := numbered(names[0])
	for i, name := range names {
		if other, m := numbered(name); other != stem || n < 0 || m != n+i {
			return false
		}
	}
	return true
}

// media lists the media of the cables in a fixed order, "" for those without one.
func (d *diagram) media() []string {
	var out []string
	for _, c := range d.cables {
		out = xslices.AppendNew(out, c.link.Media)
	}
	slices.Sort(out)
	return out
}

func ownerOf(id string) string {
	owner, _, _ := strings.Cut(id, ".")
	return owner
}

// LinkText is "dac 3 m, 10.0 Gb/s".
func LinkText(l *record.PictureLink) string {
	var parts []string
	if c := format.Clean(l.Cable); c != "" {
		parts = append(parts, c)
	}
	if l.Rate > 0 {
		parts = append(parts, l.Rate.String())
	} else {
		parts = append(parts, "rate "+format.NotKnown)
	}
	return strings.Join(parts, ", ")
}
