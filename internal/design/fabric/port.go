package fabric

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/device/families"
)

func portName(p Port) string {
	switch {
	case p.Switch != "" && p.Lane > 0:
		return fmt.Sprintf("%s.%d/%d", p.Switch, p.Index, p.Lane)
	case p.Switch != "":
		return fmt.Sprintf("%s.%d", p.Switch, p.Index)
	case p.Index == 0: // a bond
		return p.Host + "." + p.NIC
	}
	return fmt.Sprintf("%s.%s.%d", p.Host, p.NIC, p.Index)
}

// maxPort bounds port numbers if the part's number of ports is unknown.
const (
	maxPort = 1024
	maxLane = 8
)

// port finds the port that a text names: host.NIC.port, host.NIC of a NIC with one port, host.bond, switch.port or
// switch.port/lane.
func (d *decoder) port(text string, at At, subject string) (Port, bool) {
	words := strings.Split(text, ".")
	if h := d.hosts[words[0]]; h != nil {
		return d.portOf(h, words[1:], at, subject, text)
	}
	if s := d.switches[words[0]]; s != nil {
		return d.switchPort(s, words[1:], at, subject, text)
	}
	d.bad(diag.HostUnknown, at, subject, fmt.Sprintf("no host or switch is called %s", quote(words[0])), "",
		d.nearHost(words[0]))
	return Port{}, false
}

// portOf finds a port by the words after its host: NIC and port, or a bond.
func (d *decoder) portOf(h *Host, words []string, at At, subject, text string) (Port, bool) {
	no := func(message, limit, fix string) (Port, bool) {
		d.bad(diag.PortUnknown, at, subject, message, limit, fix)
		return Port{}, false
	}
	if len(words) == 0 || len(words) > 2 || words[0] == "" {
		return no(fmt.Sprintf("%s is not a port", quote(text)), "a port is HOST.NIC.PORT",
			fmt.Sprintf("write %s", d.portsOf(h)))
	}
	d.src.charge(at, len(h.NICs)/8)
	c := h.nic(words[0])
	if c == nil {
		if h.bond(words[0]) != nil && len(words) == 1 {
			return Port{Host: h.Name, NIC: words[0]}, true
		}
		names := xslices.Map(h.NICs, func(c *NIC) string { return c.Name })
		for _, b := range h.Bonds {
			names = append(names, b.Name)
		}
		fix := "add it under nics: of " + h.Group
		if near := nearest(words[0], names); near != "" {
			fix = "did you mean " + strings.Replace(text, words[0], near, 1) + "?"
		}
		return no(fmt.Sprintf("host %s has no NIC %s", h.Name, quote(words[0])), "it has "+orNone(names),
			fix)
	}
	if d.missing[h.Name+"."+c.Name] {
		return Port{}, false // its part was reported
	}
	if c.Part == nil {
		return no(fmt.Sprintf("%s is a virtual function", quote(text)), "it has no port of its own",
			"name the port of the real NIC: "+visible(c.VF))
	}
	index := 1
	if len(words) == 1 {
		if len(c.Part.Ports) > 1 {
			return no(fmt.Sprintf("%s does not name a port", quote(text)),
				fmt.Sprintf("%s has %s", c.Part.Name, countPorts(len(c.Part.Ports))),
				"write "+upTo(h.Name+"."+c.Name, len(c.Part.Ports)))
		}
	} else {
		n, err := strconv.Atoi(words[1])
		if err != nil || n < 1 || n > maxPort || strings.HasPrefix(words[1], "+") {
			return no(fmt.Sprintf("%s is not the number of a port", quote(words[1])), "ports are counted from 1",
				fmt.Sprintf("write %s.%s.1", h.Name, c.Name))
		}
		index = n
	}
	if _, ok, _ := c.Part.Port(index); !ok {
		return no(fmt.Sprintf("NIC %s.%s has no port %d", h.Name, c.Name, index),
			fmt.Sprintf("%s has %s", c.Part.Name, countPorts(len(c.Part.Ports))),
			fmt.Sprintf("write %s", upTo(h.Name+"."+c.Name, len(c.Part.Ports))))
	}
	return Port{Host: h.Name, NIC: c.Name, Index: index}, true
}

// upTo prints the ports of a device: sw1.1 or sw1.2, a port from sw1.1 to sw1.22.
func upTo(name string, n int) string {
	if n == 1 {
		return name + ".1"
	}
	if n == 2 {
		return fmt.Sprintf("%s.1 or %s.2", name, name)
	}
	return fmt.Sprintf("a port from %s.1 to %s.%d", name, name, n)
}

// portsOf shows the form of a host's ports with one of them.
func (d *decoder) portsOf(h *Host) string {
	for _, c := range h.NICs {
		if c.Part != nil {
			return fmt.Sprintf("%s.%s.1", h.Name, c.Name)
		}
	}
	return h.Name + ".NIC.1"
}

func (d *decoder) switchPort(s *Switch, words []string, at At, subject, text string) (Port, bool) {
	no := func(message, limit, fix string) (Port, bool) {
		d.bad(diag.PortUnknown, at, subject, message, limit, fix)
		return Port{}, false
	}
	if len(words) != 1 {
		return no(fmt.Sprintf("%s is not a port of a switch", quote(text)),
			"a port is SWITCH.PORT, or SWITCH.PORT/LANE of a breakout", fmt.Sprintf("write %s.1", s.Name))
	}
	number, laneText, hasLane := strings.Cut(words[0], "/")
	index, err := strconv.Atoi(number)
	if err != nil || index < 1 || index > maxPort || strings.HasPrefix(number, "+") {
		return no(fmt.Sprintf("%s is not the number of a port", quote(number)), "ports are counted from 1",
			fmt.Sprintf("write %s.1", s.Name))
	}
	lane := 0
	if hasLane {
		lane, err = strconv.Atoi(laneText)
		if err != nil || lane < 1 || lane > maxLane || strings.HasPrefix(laneText, "+") {
			return no(fmt.Sprintf("%s is not a lane of a port", quote(laneText)), fmt.Sprintf("lanes are counted from 1 to %d",
				maxLane), fmt.Sprintf("write %s.%d/1", s.Name, index))
		}
	}
	if s.Part != nil {
		if _, ok, _ := s.Part.Port(index); !ok {
			return no(fmt.Sprintf("switch %s has no port %d", s.Name, index),
				fmt.Sprintf("%s has %s", s.Part.Name, countPorts(len(s.Part.Ports))),
				fmt.Sprintf("write %s", upTo(s.Name, len(s.Part.Ports))))
		}
	}
	return Port{Switch: s.Name, Index: index, Lane: lane}, true
}

// use is the user of a port.
type use struct {
	by string
	at At
}

// plug reserves a port for a link and reports it if it is already used. A bond uses its members, and a whole port its
// lanes.
func (d *decoder) plug(p Port, by string, at At) {
	taken := []Port{p}
	if h := d.hosts[p.Host]; h != nil && p.Index == 0 {
		if b := h.bond(p.NIC); b != nil {
			taken = append(taken, b.Of...)
		}
	}
	for _, t := range taken {
		clashes := []Port{t}
		switch {
		case t.Lane > 0:
			clashes = append(clashes, Port{Switch: t.Switch, Index: t.Index})
		case t.Switch != "":
			for lane := 1; lane <= maxLane; lane++ {
				clashes = append(clashes, Port{Switch: t.Switch, Index: t.Index, Lane: lane})
			}
		}
		for _, c := range clashes {
			if u, ok := d.used[c]; ok {
				where := ""
				if u.at.Line != at.Line {
					where = fmt.Sprintf(" in line %d", u.at.Line)
				}
				d.bad(diag.PortUsed, at, by, fmt.Sprintf("the port %s is used twice, first by %s%s", c, u.by, where),
					"a port takes one cable",
					"choose another port")
				return
			}
		}
	}
	for _, t := range taken {
		d.used[t] = use{by, at}
	}
}

func (d *decoder) allSwitches(n *node) {
	d.each(n, "switch", single(), func(name, group string, p pair, _, _ step) {
		s := &Switch{Name: name, At: p.key.at}
		f, ok := d.fields(p.value, "switch", "switch "+quoteName(group), p.key.at)
		if h := d.hosts[name]; h != nil {
			d.bad(diag.NameTwice, p.key.at, f.subject, fmt.Sprintf("a host is also called %s (line %d)", name, h.At.Line),
				"the names of hosts and switches differ", "rename one")
		}
		d.f.Switches = append(d.f.Switches, s)
		d.switches[name] = s
		if !ok {
			return
		}
		s.Note = f.Note
		s.Part = d.part(f, catalog.Switch)
		s.OS = f.choice("os", families.Switches()...)
		s.Version, s.System = f.text("version"), f.text("system")
		s.Connection = d.connection(f, name)
		s.Price = f.price("price", s.Part)
	})
}
