package plan

import (
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
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
			if s := b.p.Switch(l.Ends[i].Switch); s != nil {
				s.Ports = append(s.Ports, SwitchPort{ID: e.String(), Index: e.Index, Lane: e.Lane, Speed: l.Speed, MTU: l.MTU, Link: l.Name})
			}
		}
		b.p.Links = append(b.p.Links, l)
		b.p.index.links[l.Name] = l
	}
	b.bondSpeeds()
}

// linkSpeed is the fastest that both ends and the cable can do; a port whose
// speed is not known does not lower it, and an end set to a speed by the file
// holds the link to it.
func (b *builder) linkSpeed(d *fabric.Link, l *Link) unit.BitRate {
	var r unit.BitRate
	for i, e := range d.Ends {
		if s := b.p.Switch(e.Switch); s != nil {
			r = slower(r, switchPortSpeed(s.Part, e))
		} else if p := b.ports[l.Ends[i].ID]; p != nil {
			r = slower(r, p.Speed)
		}
	}
	r = slower(r, cableSpeed(d.Cable.Part))
	r = slower(r, cableSpeed(d.Adapter.Part))
	if a, b := b.listed(l.Ends[0]), b.listed(l.Ends[1]); len(a) > 0 && len(b) > 0 {
		if common := fastestCommon(a, b, r); common > 0 {
			r = common // the slower end may not know the faster one's rate, and both a third
		}
	}
	for _, end := range l.Ends {
		if p := b.ports[end.ID]; p != nil {
			p.Speed = slower(p.Speed, r)
		}
	}
	return r
}

// listed are the rates of a card's port by the catalogue; nil of switches, of parts
// that are written out, and where the file sets a speed.
func (b *builder) listed(e End) []unit.BitRate {
	p := b.ports[e.ID]
	if p == nil || p.Part == nil {
		return nil
	}
	n := nic(b.p.Host(p.Host), p.Card)
	if n == nil || n.Speed > 0 || n.Mode == "ib" {
		return nil
	}
	port, ok, _ := p.Part.Port(p.Index)
	if !ok {
		return nil
	}
	return rates(side{nic: n, part: p.Part, port: port})
}

func (b *builder) isInfiniBand(l *Link) bool {
	for _, e := range l.Ends {
		if p := b.ports[e.ID]; p != nil {
			if n := nic(b.p.Host(p.Host), p.Card); n != nil && n.Mode == "ib" {
				return true
			}
		}
	}
	return false
}
