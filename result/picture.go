package result

import (
	"linerate/parts"
	"linerate/plan"
	"linerate/unit"
)

// Picture is what a report needs to draw the fabric, apart from package plan so
// that old runs stay readable. What older runs do not have is empty.
type Picture struct {
	Hosts    []PictureHost   `json:"hosts"`
	Switches []string        `json:"switches"`
	Devices  []PictureSwitch `json:"switch_devices,omitempty"` // of Switches, in their order
	Links    []PictureLink   `json:"links"`
	Totals   []plan.BOMTotal `json:"totals"`
}

// PictureHost is a host with its plugged ports.
type PictureHost struct {
	Name   string        `json:"name"`
	OS     string        `json:"os"`
	On     string        `json:"on,omitempty"` // the host that a virtual machine runs on
	Ports  []PicturePort `json:"ports"`
	Unused []PicturePort `json:"unused,omitempty"` // ports of cards without a cable
	Cards  []PictureCard `json:"cards,omitempty"`
}

// PictureCard is a card of a host.
type PictureCard struct {
	Name      string `json:"name"`
	Part      string `json:"part,omitempty"`
	Slot      string `json:"slot,omitempty"`
	Functions int    `json:"vfs,omitempty"` // SR-IOV functions that the file asks for
}

// PicturePort is a port of a card, a bond, or an SR-IOV function.
type PicturePort struct {
	ID        string   `json:"id"`
	Interface string   `json:"interface"`
	Assumed   bool     `json:"interface_assumed,omitempty"` // the lab's name: the file has none
	Address   string   `json:"address"`
	Part      string   `json:"part"`
	Function  string   `json:"vf,omitempty"` // the port that this is a function of
	Of        []string `json:"of,omitempty"` // ids of a bond's members
	Mode      string   `json:"bond_mode,omitempty"`
}

// PictureSwitch is a switch.
type PictureSwitch struct {
	Name  string `json:"name"`
	Part  string `json:"part,omitempty"`
	OS    string `json:"os,omitempty"`
	Ports int    `json:"ports,omitempty"` // all that it has; 0: not known
}

// PictureLink is a cable.
type PictureLink struct {
	Name   string       `json:"name"`
	Label  string       `json:"label"`
	Ends   [2]string    `json:"ends"`                 // port ids; a switch's is sw1.19
	Ports  []string     `json:"port_names,omitempty"` // the switch's own names of both ends' ports; empty where not known
	Rate   unit.BitRate `json:"bits_per_second"`      // planned; 0 if unknown
	Cable  string       `json:"cable"`                // "dac 3 m"
	Media  string       `json:"media,omitempty"`
	Length *float64     `json:"length_m"`
	VLAN   int          `json:"vlan,omitempty"`
	IB     bool         `json:"infiniband,omitempty"`
}

// PictureOf is what a report draws of the plan.
func PictureOf(p *plan.Plan) Picture {
	var out Picture
	for _, h := range p.Hosts {
		out.Hosts = append(out.Hosts, pictureHost(h))
	}
	switches := map[string]*plan.Switch{}
	for _, s := range p.Switches {
		switches[s.Name] = s
		out.Switches = append(out.Switches, s.Name)
		d := PictureSwitch{Name: s.Name, OS: s.OS}
		if s.Part != nil {
			d.Part, d.Ports = s.Part.Name, len(s.Part.Ports)
		}
		out.Devices = append(out.Devices, d)
	}
	portNames := map[string]string{}
	for _, s := range p.Switches {
		if s.Part == nil {
			continue
		}
		for _, port := range s.Ports {
			if known, ok, _ := s.Part.Port(port.Index); ok && known.Name != "" {
				portNames[port.ID] = known.Name
			}
		}
	}
	for _, l := range p.Links {
		pl := PictureLink{Name: l.Name, Label: l.Label, Ends: [2]string{l.Ends[0].ID, l.Ends[1].ID}, Rate: l.Speed, Cable: l.CableText(), VLAN: l.VLAN, IB: l.InfiniBand}
		if l.Cable != nil && l.Cable.Cable != nil {
			pl.Media = string(l.Cable.Cable.Media)
		}
		if m, ok := l.LengthM.Get(); ok {
			pl.Length = &m
		}
		if a, b := portNames[l.Ends[0].ID], portNames[l.Ends[1].ID]; a != "" || b != "" {
			pl.Ports = []string{a, b}
		}
		out.Links = append(out.Links, pl)
	}
	out.Totals = p.BOM.Totals
	return out
}

func pictureHost(h *plan.Host) PictureHost {
	out := PictureHost{Name: h.Name, OS: h.OS}
	functions, bonds := map[string]string{}, map[string]int{}
	if h.Decl != nil {
		out.On = h.Decl.On
		for _, n := range h.Decl.NICs {
			if n.VF != "" {
				functions[n.Name] = n.VF
				continue
			}
			out.Cards = append(out.Cards, PictureCard{Name: n.Name, Part: partName(n.Part), Slot: n.Slot, Functions: n.VFs})
		}
		for i, b := range h.Decl.Bonds {
			bonds[b.Name] = i + 1
		}
	}
	for _, port := range h.Ports {
		pp := PicturePort{ID: port.ID, Interface: port.Interface, Assumed: !port.Declared, Part: partName(port.Part), Function: functions[port.Card]}
		if port.Address.IsValid() {
			pp.Address = port.Address.String()
		}
		if i := bonds[port.Card]; i > 0 {
			b := h.Decl.Bonds[i-1]
			pp.Mode = b.Mode
			for _, m := range b.Of {
				pp.Of = append(pp.Of, memberID(h, m.String()))
			}
		}
		if port.Link == "" {
			out.Unused = append(out.Unused, pp)
		} else {
			out.Ports = append(out.Ports, pp)
		}
	}
	return out
}

// memberID is the id that a bond's member has among the host's ports: that of a
// card with one port lacks its number.
func memberID(h *plan.Host, written string) string {
	for _, p := range h.Ports {
		if p.ID == written || p.ID+".1" == written || p.ID == written+".1" {
			return p.ID
		}
	}
	return written
}

func partName(p *parts.Part) string {
	if p == nil {
		return ""
	}
	return p.Name
}
