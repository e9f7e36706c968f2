package plan

import (
	"linerate/fabric"
	"linerate/unit"
)

// links puts every cable in its place and finds the speed that both ends and
// the cable share.
func (b *builder) links() {
	for _, d := range b.f.Links {
		l := &Link{Name: d.Name, MTU: d.MTU, Cable: d.Cable.Part, Label: d.Cable.Label, LengthM: cableLength(d.Cable.Part)}
		if l.MTU == 0 {
			l.MTU = b.f.MTU
		}
		for i, e := range d.Ends {
			if e.Switch != "" {
				l.Ends[i] = End{ID: e.String(), Switch: e.Switch}
				continue
			}
			l.Ends[i] = End{ID: e.String(), Host: e.Host}
			if p := b.ports[e.String()]; p != nil {
				l.Ends[i].ID = p.ID
				p.Link, p.MTU = l.Name, l.MTU
				if o := b.owner[p.ID]; o != p {
					o.MTU, o.Link = l.MTU, l.Name
				}
			}
		}
		l.Speed = b.linkSpeed(d, l)
		l.InfiniBand = b.isInfiniBand(l)
		for i, e := range d.Ends {
			if s := b.p.switchNamed(l.Ends[i].Switch); s != nil {
				s.Ports = append(s.Ports, SwitchPort{ID: e.String(), Index: e.Index, Lane: e.Lane, Speed: l.Speed, MTU: l.MTU, Link: l.Name})
			}
		}
		b.p.Links = append(b.p.Links, l)
	}
}

func (p *Plan) switchNamed(name string) *Switch {
	for _, s := range p.Switches {
		if s.Name == name && name != "" {
			return s
		}
	}
	return nil
}

// linkSpeed is the fastest that both ends and the cable can do; a port whose
// speed is not known does not lower it, and an end set to a speed by the file
// holds the link to it.
func (b *builder) linkSpeed(d *fabric.Link, l *Link) unit.BitRate {
	var r unit.BitRate
	for i, e := range d.Ends {
		if s := b.p.switchNamed(e.Switch); s != nil {
			r = slower(r, switchPortSpeed(s.Part, e))
		} else if p := b.ports[l.Ends[i].ID]; p != nil {
			r = slower(r, p.Speed)
		}
	}
	r = slower(r, cableSpeed(d.Cable.Part))
	for _, end := range l.Ends {
		if p := b.ports[end.ID]; p != nil {
			p.Speed = slower(p.Speed, r)
		}
	}
	return r
}

func (b *builder) isInfiniBand(l *Link) bool {
	for _, e := range l.Ends {
		p := b.ports[e.ID]
		if p == nil {
			continue
		}
		for _, h := range b.f.Hosts {
			for _, n := range h.NICs {
				if h.Name == p.Host && n.Name == p.Card && n.Mode == "ib" {
					return true
				}
			}
		}
	}
	return false
}
