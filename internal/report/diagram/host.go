package diagram

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/svg"
)

// rowRoom is the width from which on the text at a port is wrapped: an IPv4 address with its prefix and VLAN fits.
const rowRoom = 150.0

// Above these numbers, a NIC's free ports and a host's virtual machines are counted instead of listed.
const (
	mostFree     = 2
	mostMachines = 8
)

// hostBox returns the box of a host with its NICs, their ports, the bonds over them and the virtual machines on it.
// Ports are entered into rows by their ids.
func hostBox(h *record.PictureHost, machines []*record.PictureHost, rows map[string]*plug, dense bool) *device {
	b := &device{name: h.Name, sub: h.OS, count: 1, room: titleRoom, title: svg.Folded("name", h.Name, titleRoom)}
	if dense {
		b.room = 1.6 * titleRoom
	}
	b.title = oneLine(dense, append(b.title, svg.Folded("small", h.OS, titleRoom)...))
	nics := map[string]*nic{}
	get := func(name string) *nic {
		if c := nics[name]; c != nil {
			return c
		}
		c := &nic{head: svg.Folded("small", name, titleRoom)}
		nics[name] = c
		b.nics = append(b.nics, c)
		return c
	}
	for _, c := range h.NICs {
		get(c.Name).head = nicHead(&c, dense)
	}
	for i := range h.Ports {
		p := &h.Ports[i]
		if len(p.Of) > 0 || p.Function != "" || rows[p.ID] != nil {
			continue
		}
		r := &plug{dev: b, port: PortNumber(p.ID), text: oneLine(dense, portText(p))}
		rows[p.ID] = r
		c := get(nicOf(p.ID))
		c.rows = append(c.rows, r)
	}
	b.free(h, nics, dense)
	b.nics = slices.DeleteFunc(b.nics, func(c *nic) bool { return len(c.rows) == 0 })
	for i := range h.Ports {
		b.bond(&h.Ports[i], rows)
	}
	b.virtual(machines, rows)
	return b
}

func nicHead(c *record.PictureNIC, dense bool) []svg.TextLine {
	out := svg.Folded("name card-name", c.Name, titleRoom)
	out = append(out, svg.Folded("small", c.Part, titleRoom)...)
	var more []string
	if c.Slot != "" {
		more = append(more, "slot "+format.Clean(c.Slot))
	}
	if c.Functions > 0 {
		more = append(more, unit.Counted(c.Functions, "SR-IOV function"))
	}
	return oneLine(dense, append(out, svg.Folded("small", strings.Join(more, ", "), titleRoom)...))
}

// oneLine joins lines if wanted and if they fit.
func oneLine(wanted bool, lines []svg.TextLine) []svg.TextLine {
	if !wanted || len(lines) < 2 {
		return lines
	}
	one := svg.TextLine{Class: lines[1].Class, Lead: lines[0].Text, Text: joined(lines[1:])}
	if !lines[0].Bold() {
		one.Lead, one.Text = "", lines[0].Text+"  "+one.Text
	}
	if one.Width() > 1.75*titleRoom {
		if len(lines) > 2 {
			return append(oneLine(true, lines[:2]), lines[2:]...)
		}
		return lines
	}
	return []svg.TextLine{one}
}

// portText returns the interface's name and its address.
func portText(p *record.PicturePort) []svg.TextLine {
	name := format.Clean(p.Interface)
	if name != "" && p.Assumed {
		name += " *"
	}
	out := svg.Folded("word", name, rowRoom)
	return append(out, svg.Folded("word", p.Address, rowRoom)...)
}

// free adds the ports of NICs without a cable.
func (b *device) free(h *record.PictureHost, nics map[string]*nic, dense bool) {
	free := map[*nic][]*record.PicturePort{}
	for i := range h.Unused {
		p := &h.Unused[i]
		if c := nics[nicOf(p.ID)]; c != nil && p.Function == "" && len(p.Of) == 0 {
			free[c] = append(free[c], p)
		}
	}
	for _, c := range b.nics {
		ports := free[c]
		if len(ports) > mostFree {
			c.rows = append(c.rows, &plug{dev: b, port: "…", aside: dense,
				text: []svg.TextLine{{Class: "small", Text: unit.Counted(len(ports), "port") + " free"}}})
			continue
		}
		for _, p := range ports {
			text := "free"
			if !p.Assumed && p.Interface != "" && !dense {
				text = p.Interface + ", free"
			}
			c.rows = append(c.rows,
				&plug{dev: b, port: PortNumber(p.ID), aside: dense, text: svg.Folded("small", text, rowRoom)})
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
		names = append(names, ShortPort(id))
		if r := rows[id]; r != nil && r.dev == b {
			r.bonded, last = p.ID, r
			if len(r.text) < 2 {
				r.text = append(r.text, svg.TextLine{Class: "small", Text: "in " + format.Shorten(ShortPort(p.ID), 14)})
			}
		}
	}
	head := format.Clean(ShortPort(p.ID)) + ": bond of " + unit.List(names)
	if p.Mode != "" {
		head += ", " + p.Mode
	}
	text := svg.Folded("word", head, b.room)
	b.below(last, &plug{dev: b, bond: true, text: append(text, svg.Folded("word", p.Address, b.room)...)})
}

// virtual writes each virtual machine below the port of its function, and those without one at the bottom.
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
			text := svg.Folded("word", m.Name+": function of port "+r.port, b.room)
			b.below(r, &plug{dev: b, text: append(text, svg.Folded("word", p.Address, b.room)...)})
		}
		if !placed {
			others = append(others, m.Name)
		}
	}
	if len(many) > 0 {
		b.notes = append(b.notes,
			svg.Folded("small", unit.Counted(len(many), "virtual machine")+" with functions: "+Span(many), b.room)...)
	}
	if len(others) > 0 {
		b.notes = append(b.notes,
			svg.Folded("small", unit.Counted(len(others), "virtual machine")+": "+Span(others), b.room)...)
	}
}

// below inserts a row without a plug after another and the rows that already follow it.
func (b *device) below(r, inner *plug) {
	for _, c := range b.nics {
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
	if len(b.nics) > 0 {
		c := b.nics[len(b.nics)-1]
		c.rows = append(c.rows, inner)
	}
}

// ShortPort is a port's id without its host or switch.
func ShortPort(id string) string {
	if _, rest, ok := strings.Cut(id, "."); ok {
		return rest
	}
	return id
}
