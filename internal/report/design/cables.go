package design

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/report/diagram"
	"linerate/internal/report/format"
)

// endView is one end of a cable.
type endView struct {
	Label, Cable  string
	ID, Name      string // Name is the interface, or the switch's own name of the port; empty: not known
	Expected      string // the name that the driver assigns, where the file has none
	NIC           string // the NIC's model
	Address       string
	Other, There  string // the other end, and its name
	owner, number string
}

type cableView struct {
	Label, Part, Media, Length, Rate, VLAN, Link string
	Ends                                         [2]endView
	metres, bits, vlan                           string
}

// machineView is a host or switch with its cables by port.
type machineView struct {
	Name, Head string
	NICs       bool // it has NICs, whose models are printed
	Addressed  bool // some port has an address
	Ends       []endView
}

// cableViews describes all cables with both ends.
func cableViews(p *plan.Plan) []cableView {
	picture := p.Picture()
	names, addresses := endNames(&picture)
	models, expected := map[string]string{}, map[string]string{}
	for _, h := range p.Hosts {
		for id, name := range h.Expected() {
			expected[id] = name
		}
		for _, port := range h.Ports {
			if port.Part != nil {
				models[port.ID] = port.Part.Name
			}
		}
	}
	var out []cableView
	for i, l := range p.Links {
		pl := &picture.Links[i]
		c := cableView{Label: diagram.LabelOf(pl), Part: format.NotKnown, Media: pl.Media, Length: format.NotKnown,
			Rate: format.NotKnown, Link: format.Clean(l.Name)}
		if l.Cable != nil {
			c.Part = format.Clean(l.Cable.Name)
		}
		if m, ok := l.LengthM.Get(); ok {
			c.Length, c.metres = metres(m), strconv.FormatFloat(m, 'f', -1, 64)
		}
		if l.Speed > 0 {
			c.Rate, c.bits = l.Speed.String(), strconv.FormatFloat(float64(l.Speed), 'f', -1, 64)
		}
		if l.VLAN != 0 {
			c.vlan = strconv.Itoa(l.VLAN)
			c.VLAN = c.vlan
		}
		for k, e := range l.Ends {
			v := endView{Label: c.Label, Cable: diagram.LinkText(pl), ID: format.Clean(e.ID),
				Name: format.Clean(names[e.ID]), Address: format.Clean(addresses[e.ID]), Other: format.Clean(l.Ends[1-k].ID),
				NIC: format.Clean(models[e.ID]), owner: owner(e), number: diagram.PortNumber(e.ID)}
			if len(pl.Ports) == 2 && pl.Ports[k] != "" {
				v.Name = format.Clean(pl.Ports[k])
			}
			if v.Name == "" {
				v.Expected = format.Clean(expected[e.ID])
			}
			c.Ends[k] = v
		}
		c.Ends[0].There, c.Ends[1].There = c.Ends[1].Name, c.Ends[0].Name
		out = append(out, c)
	}
	return out
}

// Below returns the text under an end's name in the table of cables.
func (e endView) Below() string {
	var out []string
	switch {
	case e.Name != "":
		out = append(out, e.Name)
	case e.Expected != "":
		out = append(out, e.Expected+" *")
	}
	if e.Address != "" {
		out = append(out, e.Address)
	}
	return strings.Join(out, ", ")
}

// endNames finds the names of interfaces that the file gives, and the addresses of ports, those of bonds at their
// members.
func endNames(p *record.Picture) (names, addresses map[string]string) {
	names, addresses = map[string]string{}, map[string]string{}
	for _, h := range p.Hosts {
		for _, port := range h.Ports {
			if !port.Assumed {
				names[port.ID] = port.Interface
			}
			if port.Address == "" {
				continue
			}
			addresses[port.ID] = port.Address
			for _, m := range port.Of {
				addresses[m] = port.Address + " (" + diagram.ShortPort(port.ID) + ")"
			}
		}
	}
	return names, addresses
}

// labels makes a label for both ends of every cable, and a list of the cables of every machine.
func (v *planView) labels(p *plan.Plan) {
	at := map[string]int{}
	machine := func(name, head string) {
		at[name] = len(v.Machines)
		v.Machines = append(v.Machines, machineView{Name: format.Clean(name), Head: format.Clean(head)})
	}
	for _, s := range p.Switches {
		part := ""
		if s.Part != nil {
			part = s.Part.Name
		}
		machine(s.Name, part)
	}
	for _, h := range p.Hosts {
		head := h.OS
		if h.Decl != nil {
			head = strings.TrimSpace(head + " " + h.Decl.Version)
		}
		machine(h.Name, head)
	}
	for i := range v.Cables {
		v.VLANs = v.VLANs || v.Cables[i].VLAN != ""
		for k, e := range v.Cables[i].Ends {
			v.Names = v.Names || e.Name != ""
			if m, ok := at[v.Cables[i].Ends[k].owner]; ok {
				v.Machines[m].Ends = append(v.Machines[m].Ends, e)
				v.Machines[m].Addressed = v.Machines[m].Addressed || e.Address != ""
				v.Machines[m].NICs = v.Machines[m].NICs || e.NIC != ""
			}
		}
	}
	v.Machines = slices.DeleteFunc(v.Machines, func(m machineView) bool { return len(m.Ends) == 0 })
}
