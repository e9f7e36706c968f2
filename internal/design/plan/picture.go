package plan

import (
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

// Picture returns the plan as a report draws it.
func (p *Plan) Picture() record.Picture {
	var out record.Picture
	out.Hosts = xslices.Map(p.Hosts, pictureHost)
	portNames := map[string]string{}
	for _, s := range p.Switches {
		out.Switches = append(out.Switches, s.Name)
		d := record.PictureSwitch{Name: s.Name, OS: s.OS}
		if s.Part != nil {
			d.Part, d.Ports = s.Part.Name, len(s.Part.Ports)
			for _, port := range s.Ports {
				if known, ok, _ := s.Part.Port(port.Index); ok {
					portNames[port.ID] = known.Name
				}
			}
		}
		out.Devices = append(out.Devices, d)
	}
	for _, l := range p.Links {
		pl := record.PictureLink{Name: l.Name, Label: l.Label, Ends: [2]string{l.Ends[0].ID, l.Ends[1].ID}, Rate: l.Speed,
			Cable: l.CableText(), VLAN: l.VLAN, IB: l.InfiniBand}
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
			out.NICs = append(out.NICs, record.PictureNIC{Name: n.Name, Part: pictureName(n.Part), Slot: n.Slot,
				Functions: n.VFs})
		}
		for i, b := range h.Decl.Bonds {
			bonds[b.Name] = i + 1
		}
	}
	for _, port := range h.Ports {
		pp := record.PicturePort{ID: port.ID, Interface: port.Interface, Assumed: !port.Declared,
			Part: pictureName(port.Part), Function: functions[port.NIC]}
		if port.Address.IsValid() {
			pp.Address = port.Address.String()
		}
		if i := bonds[port.NIC]; i > 0 {
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

// memberID returns the id of a bond's member among the host's ports. The port of a NIC with one port has two names.
func memberID(h *Host, written string) string {
	for _, p := range h.Ports {
		if p.ID == written || p.ID+".1" == written || p.ID == written+".1" {
			return p.ID
		}
	}
	return written
}

// pictureName returns the name of a part; empty: a drawing shows none.
func pictureName(p *catalog.Part) string {
	if p == nil {
		return ""
	}
	return p.Name
}
