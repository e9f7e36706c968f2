package report

import (
	"strings"

	"linerate/internal/record"
)

// rowRoom is how wide the text beside a port may get before it is folded: an
// IPv4 address with its prefix and its VLAN stays in one line.
const rowRoom = 150.0

// Above these, a card's free ports and a host's virtual machines are counted
// instead of listed.
const (
	mostFree     = 2
	mostMachines = 8
)

// hostBox is a host with its cards, their ports, the bonds over them and the
// virtual machines on it. Ports are entered into rows by their ids.
func hostBox(h *record.PictureHost, machines []*record.PictureHost, rows map[string]*plug, dense bool) *device {
	b := &device{name: h.Name, sub: h.OS, count: 1, room: titleRoom, title: folded("name", h.Name, titleRoom)}
	if dense {
		b.room = 1.6 * titleRoom
	}
	b.title = oneLine(dense, append(b.title, folded("small", h.OS, titleRoom)...))
	cards := map[string]*card{}
	get := func(name string) *card {
		if c := cards[name]; c != nil {
			return c
		}
		c := &card{head: folded("small", name, titleRoom)}
		cards[name] = c
		b.cards = append(b.cards, c)
		return c
	}
	for _, c := range h.Cards {
		get(c.Name).head = cardHead(&c, dense)
	}
	for i := range h.Ports {
		p := &h.Ports[i]
		if len(p.Of) > 0 || p.Function != "" || rows[p.ID] != nil {
			continue
		}
		r := &plug{dev: b, port: portNumber(p.ID), text: oneLine(dense, portText(p))}
		rows[p.ID] = r
		c := get(cardOf(p.ID))
		c.rows = append(c.rows, r)
	}
	b.free(h, cards, dense)
	b.cards = keep(b.cards, func(c *card) bool { return len(c.rows) > 0 })
	for i := range h.Ports {
		b.bond(&h.Ports[i], rows)
	}
	b.virtual(machines, rows)
	return b
}

func cardHead(c *record.PictureCard, dense bool) []textLine {
	out := folded("name card-name", c.Name, titleRoom)
	out = append(out, folded("small", c.Part, titleRoom)...)
	var more []string
	if c.Slot != "" {
		more = append(more, "slot "+clean(c.Slot))
	}
	if c.Functions > 0 {
		more = append(more, count(c.Functions, "SR-IOV function"))
	}
	return oneLine(dense, append(out, folded("small", strings.Join(more, ", "), titleRoom)...))
}

// oneLine puts lines into one if it is to be so and they have the room.
func oneLine(wanted bool, lines []textLine) []textLine {
	if !wanted || len(lines) < 2 {
		return lines
	}
	one := textLine{class: lines[1].class, lead: lines[0].text, text: joined(lines[1:])}
	if !lines[0].bold() {
		one.lead, one.text = "", lines[0].text+"  "+one.text
	}
	if one.width() > 1.75*titleRoom {
		if len(lines) > 2 {
			return append(oneLine(true, lines[:2]), lines[2:]...)
		}
		return lines
	}
	return []textLine{one}
}

// portText is the interface's name and its address.
func portText(p *record.PicturePort) []textLine {
	name := clean(p.Interface)
	if name != "" && p.Assumed {
		name += " *"
	}
	out := folded("word", name, rowRoom)
	return append(out, folded("word", p.Address, rowRoom)...)
}

// free adds the ports of cards that no cable is in.
func (b *device) free(h *record.PictureHost, cards map[string]*card, dense bool) {
	free := map[*card][]*record.PicturePort{}
	for i := range h.Unused {
		p := &h.Unused[i]
		if c := cards[cardOf(p.ID)]; c != nil && p.Function == "" && len(p.Of) == 0 {
			free[c] = append(free[c], p)
		}
	}
	for _, c := range b.cards {
		ports := free[c]
		if len(ports) > mostFree {
			c.rows = append(c.rows, &plug{dev: b, port: "…", aside: dense, text: []textLine{{class: "small", text: count(len(ports), "port") + " free"}}})
			continue
		}
		for _, p := range ports {
			text := "free"
			if !p.Assumed && p.Interface != "" && !dense {
				text = p.Interface + ", free"
			}
			c.rows = append(c.rows, &plug{dev: b, port: portNumber(p.ID), aside: dense, text: folded("small", text, rowRoom)})
		}
	}
}

// bond writes a bond below the last of its members.
func (b *device) bond(p *record.PicturePort, rows map[string]*plug) {
	if len(p.Of) == 0 {
		return
	}
	var last *plug
	var names []string
	for _, id := range p.Of {
		names = append(names, shortPort(id))
		if r := rows[id]; r != nil && r.dev == b {
			r.bonded, last = p.ID, r
			if len(r.text) < 2 {
				r.text = append(r.text, textLine{class: "small", text: "in " + shorten(shortPort(p.ID), 14)})
			}
		}
	}
	head := clean(shortPort(p.ID)) + ": bond of " + list(names)
	if p.Mode != "" {
		head += ", " + p.Mode
	}
	text := folded("word", head, b.room)
	b.below(last, &plug{dev: b, bond: true, text: append(text, folded("word", p.Address, b.room)...)})
}

// virtual writes each virtual machine below the port that it has a function of,
// and those without one at the foot.
func (b *device) virtual(machines []*record.PictureHost, rows map[string]*plug) {
	var others, many []string
	for _, m := range machines {
		placed := false
		for i := range m.Ports {
			p := &m.Ports[i]
			r := rows[p.Function]
			if r == nil {
				r = rows[p.Function+".1"]
			}
			if p.Function == "" || r == nil || r.dev != b {
				continue
			}
			placed = true
			if len(machines) > mostMachines {
				many = append(many, m.Name)
				break
			}
			text := folded("word", m.Name+": function of port "+r.port, b.room)
			b.below(r, &plug{dev: b, text: append(text, folded("word", p.Address, b.room)...)})
		}
		if !placed {
			others = append(others, m.Name)
		}
	}
	if len(many) > 0 {
		b.notes = append(b.notes, folded("small", count(len(many), "virtual machine")+" with functions: "+span(many), b.room)...)
	}
	if len(others) > 0 {
		b.notes = append(b.notes, folded("small", count(len(others), "virtual machine")+": "+span(others), b.room)...)
	}
}

// below puts a row without a plug behind another and those that already follow it.
func (b *device) below(r, inner *plug) {
	for _, c := range b.cards {
		for i, have := range c.rows {
			if have != r {
				continue
			}
			for i++; i < len(c.rows) && c.rows[i].port == ""; i++ {
			}
			c.rows = append(c.rows[:i], append([]*plug{inner}, c.rows[i:]...)...)
			return
		}
	}
	if len(b.cards) > 0 {
		c := b.cards[len(b.cards)-1]
		c.rows = append(c.rows, inner)
	}
}

func keep[T any](in []T, ok func(T) bool) []T {
	var out []T
	for _, v := range in {
		if ok(v) {
			out = append(out, v)
		}
	}
	return out
}
