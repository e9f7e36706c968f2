package diagram

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/report/format"
	"linerate/internal/report/svg"
)

// The limits of a drawing. Above them, equal things are grouped. If groups exceed them, too, nothing is drawn.
const (
	mostBoxes  = 48
	mostCables = 120
)

func (d *diagram) fits() bool { return len(d.devices) <= mostBoxes && len(d.cables) <= mostCables }

// together groups hosts with the same cables to the same switches into one box with one cable. If that is not enough,
// it also groups equal switches. The note says what it did.
func (d *diagram) together() (*diagram, bool) {
	if d.fits() {
		return d, true
	}
	for _, switches := range []bool{false, true} {
		if g := d.quotient(d.alike(switches)); g.fits() {
			what := unit.If(switches, "hosts and switches", "hosts")
			g.note = fmt.Sprintf(
				"%s with %s: those %s that are equal and plugged in alike are drawn together, with the number of cables; the "+
					"table has every one.", svg.Upper(unit.Counted(len(d.devices), "box")), unit.Counted(len(d.cables), "cable"), what,
			)
			return g, true
		}
	}
	d.note = fmt.Sprintf(
		"A drawing of %s and %s would not be readable, and too few of them are alike to be drawn together; the table has "+
			"every one.", unit.Counted(len(d.devices), "box"), unit.Counted(len(d.cables), "cable"),
	)
	return d, false
}

// alike numbers the classes of equal boxes: by their kind, and then, round by round, by the classes at the other ends
// of their cables.
func (d *diagram) alike(switches bool) map[*device]int {
	class := map[*device]int{}
	number := func(key func(*device) string) int {
		seen := map[string]int{}
		next := map[*device]int{}
		for _, b := range d.devices {
			k := fmt.Sprintf("%d %s", class[b], key(b))
			if _, ok := seen[k]; !ok {
				seen[k] = len(seen)
			}
			next[b] = seen[k]
		}
		class = next
		return len(seen)
	}
	n := number(func(b *device) string {
		if b.isSwitch && !switches {
			return "switch " + b.name
		}
		nics := xslices.Map(b.nics, func(c *nic) string { return joined(c.head) })
		return fmt.Sprint(b.isSwitch, " ", b.sub, " ", strings.Join(nics, "; "))
	})
	for range 4 {
		ways := map[*device][]string{}
		for _, c := range d.cables {
			for end, r := range c.rows {
				ways[r.dev] = append(ways[r.dev], fmt.Sprint(class[c.rows[1-end].dev], " ", LinkText(c.link)))
			}
		}
		more := number(func(b *device) string {
			slices.Sort(ways[b])
			return strings.Join(ways[b], "; ")
		})
		if more == n {
			break
		}
		n = more
	}
	return class
}

// quotient returns the diagram with a box for each class and a cable for all that are alike between two of them.
func (d *diagram) quotient(class map[*device]int) *diagram {
	g := &diagram{dense: true}
	members := map[int][]*device{}
	for _, b := range d.devices {
		members[class[b]] = append(members[class[b]], b)
	}
	box := map[int]*device{}
	for _, b := range d.devices {
		k := class[b]
		if box[k] != nil {
			continue
		}
		all := members[k]
		names := make([]string, len(all))
		for i, m := range all {
			names[i] = format.Clean(m.name)
		}
		what := unit.If(b.isSwitch, "switch", "host")
		one := &device{name: b.name, sub: b.sub, isSwitch: b.isSwitch, count: len(all), room: b.room,
			title: svg.Folded("name", Span(names), titleRoom), nics: []*nic{{}}}
		if len(all) > 1 {
			one.title = append(one.title, svg.Folded("small", unit.Counted(len(all), what), titleRoom)...)
		}
		one.title = append(one.title, svg.Folded("small", b.sub, titleRoom)...)
		for _, c := range b.nics {
			if len(c.head) > 0 {
				one.title = append(one.title, svg.TextLine{Class: "small", Lead: c.head[0].Lead, Text: c.head[0].Text})
			}
		}
		box[k] = one
		g.devices = append(g.devices, one)
	}
	at := map[string]*cable{}
	for _, c := range d.cables {
		a, b := class[c.rows[0].dev], class[c.rows[1].dev]
		key := fmt.Sprint(min(a, b), " ", max(a, b), " ", LinkText(c.link))
		have := at[key]
		if have == nil {
			have = &cable{link: c.link}
			at[key] = have
			g.cables = append(g.cables, have)
			for end, k := range []int{a, b} {
				r := &plug{dev: box[k], cable: have, end: end}
				have.rows[end] = r
				box[k].nics[0].rows = append(box[k].nics[0].rows, r)
			}
		}
		have.links = append(have.links, c.link)
	}
	for _, c := range g.cables {
		for _, r := range c.rows {
			r.port = "×" + fmt.Sprint(len(c.links))
			if len(c.links) == 1 {
				r.port = PortNumber(c.link.Ends[r.end])
			}
		}
	}
	return g
}
