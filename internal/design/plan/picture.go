package plan

import (
	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

// Picture is what a report draws of the plan.
func (p *Plan) Picture() record.Picture {
	var out record.Picture
	for _, h := range p.Hosts {
		out.Hosts = append(out.Hosts, pictureHost(h))
	}
	switches := map[string]*Switch{}
	for _, s := range p.Switches {
		switches[s.Name] = s
		out.Switches = append(out.Switches, s.Name)
		d := record.PictureSwitch{Name: s.Name, OS: s.OS}
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
		pl := record.PictureLink{Name: l.Name, Label: l.Label, Ends: [2]string{l.Ends[0].ID, l.Ends[1].ID}, Rate: l.Speed, Cable: l.CableText(), VLAN: l.VLAN, IB: l.InfiniBand}
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

func pictureHost(h *Host) record.PictureHost {
	out := record.PictureHost{Name: h.Name, OS: h.OS}
	functions, bonds := map[string]string{}, map[string]int{}
	if h.Decl != nil {
		out.On = h.Decl.On
		for _, n := range h.Decl.NICs {
			if n.VF != "" {
				functions[n.Name] = n.VF
				continue
			}
			out.Cards = append(out.Cards, record.PictureCard{Name: n.Name, Part: pictureName(n.Part), Slot: n.Slot, Functions: n.VFs})
		}
		for i, b := range h.Decl.Bonds {
			bonds[b.Name] = i + 1
		}
	}
	for _, port := range h.Ports {
		pp := record.PicturePort{ID: port.ID, Interface: port.Interface, Assumed: !port.Declared, Part: pictureName(port.Part), Function: functions[port.Card]}
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
func memberID(h *Host, written string) string {
	for _, p := range h.Ports {
		if p.ID == written || p.ID+".1" == written || p.ID == written+".1" {
			return p.ID
		}
	}
	return written
}

// pictureName is empty where no part is named: a drawing then shows none.
func pictureName(p *catalog.Part) string {
	if p == nil {
		return ""
	}
	return p.Name
}
