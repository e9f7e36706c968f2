package report

import (
	"fmt"
	"slices"
	"strings"
)

// The most that a drawing shows one by one. Above it, equal things are drawn
// together, and above it even then, nothing is.
const (
	mostBoxes  = 48
	mostCables = 120
)

func (d *diagram) fits() bool { return len(d.devices) <= mostBoxes && len(d.cables) <= mostCables }

// together draws hosts that are plugged into the same switches in the same way as
// one box with one cable; if that is still too much, also switches that are alike.
// It says in the note what it did.
func (d *diagram) together() (*diagram, bool) {
	if d.fits() {
		return d, true
	}
	for _, switches := range []bool{false, true} {
		if g := d.quotient(d.alike(switches)); g.fits() {
			what := "hosts"
			if switches {
				what = "hosts and switches"
			}
			g.note = fmt.Sprintf("%s with %s: those %s that are equal and plugged in alike are drawn together, with the number of cables; the table has every one.",
				upper(count(len(d.devices), "box")), count(len(d.cables), "cable"), what)
			return g, true
		}
	}
	d.note = fmt.Sprintf("A drawing of %s and %s would not be readable, and too few of them are alike to be drawn together; the table has every one.",
		count(len(d.devices), "box"), count(len(d.cables), "cable"))
	return d, false
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// alike numbers the classes of boxes that cannot be told apart: by what they are,
// and then, round by round, by the classes that their cables lead to.
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
		var cards []string
		for _, c := range b.cards {
			cards = append(cards, joined(c.head))
		}
		return fmt.Sprint(b.isSwitch, " ", b.sub, " ", strings.Join(cards, "; "))
	})
	for range 4 {
		ways := map[*device][]string{}
		for _, c := range d.cables {
			for end, r := range c.rows {
				ways[r.dev] = append(ways[r.dev], fmt.Sprint(class[c.rows[1-end].dev], " ", linkText(c.link)))
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

// quotient is the diagram with a box for each class and a cable for all that are
// alike between two of them.
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
			names[i] = clean(m.name)
		}
		what := "host"
		if b.isSwitch {
			what = "switch"
		}
		one := &device{name: b.name, sub: b.sub, isSwitch: b.isSwitch, count: len(all), room: b.room, title: folded("name", span(names), titleRoom), cards: []*card{{}}}
		if len(all) > 1 {
			one.title = append(one.title, folded("small", count(len(all), what), titleRoom)...)
		}
		one.title = append(one.title, folded("small", b.sub, titleRoom)...)
		for _, c := range b.cards {
			if len(c.head) > 0 {
				one.title = append(one.title, textLine{class: "small", lead: c.head[0].lead, text: c.head[0].text})
			}
		}
		box[k] = one
		g.devices = append(g.devices, one)
	}
	at := map[string]*cable{}
	for _, c := range d.cables {
		a, b := class[c.rows[0].dev], class[c.rows[1].dev]
		key := fmt.Sprint(min(a, b), " ", max(a, b), " ", linkText(c.link))
		have := at[key]
		if have == nil {
			have = &cable{link: c.link}
			at[key] = have
			g.cables = append(g.cables, have)
			for end, k := range []int{a, b} {
				r := &plug{dev: box[k], cable: have, end: end}
				have.rows[end] = r
				box[k].cards[0].rows = append(box[k].cards[0].rows, r)
			}
		}
		have.links = append(have.links, c.link)
	}
	for _, c := range g.cables {
		for _, r := range c.rows {
			r.port = "×" + fmt.Sprint(len(c.links))
			if len(c.links) == 1 {
				r.port = portNumber(c.link.Ends[r.end])
			}
		}
	}
	return g
}
