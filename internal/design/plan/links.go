package plan

import (
	"cmp"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
)

// links makes the links and finds the speed that both ends and the cable share.
func (b *builder) links() {
	for _, d := range b.f.Links {
		l := &Link{Name: d.Name, MTU: cmp.Or(d.MTU, b.f.MTU), Cable: d.Cable.Part, Label: d.Cable.Label,
			LengthM: cableLength(d.Cable.Part)}
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
				s.Ports = append(s.Ports, SwitchPort{ID: e.String(), Index: e.Index, Lane: e.Lane, Speed: l.Speed, MTU: l.MTU,
					Link: l.Name})
			}
		}
		b.p.Links = append(b.p.Links, l)
		b.p.index.links[l.Name] = l
	}
	b.bondSpeeds()
}

// linkSpeed returns the fastest rate of both ends and the cable. A port whose speed is not known does not lower it; a
// speed that the file sets limits the link.
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
			r = common // the slower end may not support the faster one's rate, and both support a third
		}
	}
	for _, end := range l.Ends {
		if p := b.ports[end.ID]; p != nil {
			p.Speed = slower(p.Speed, r)
		}
	}
	return r
}

// listed returns the rates of a NIC's port in the catalogue; nil of switches, of parts that are written out, and if the
// file sets a speed.
func (b *builder) listed(e End) []unit.BitRate {
	p, n := b.ports[e.ID], b.nicOf(e)
	if n == nil || p.Part == nil || n.Speed > 0 || n.Mode == "ib" {
		return nil
	}
	port, ok, _ := p.Part.Port(p.Index)
	if !ok {
		return nil
	}
	return rates(side{nic: n, part: p.Part, port: port})
}

// nicOf returns the NIC of a link's end, or nil.
func (b *builder) nicOf(e End) *fabric.NIC {
	if p := b.ports[e.ID]; p != nil {
		return nic(b.p.Host(p.Host), p.NIC)
	}
	return nil
}

func (b *builder) isInfiniBand(l *Link) bool {
	return slices.ContainsFunc(l.Ends[:], func(e End) bool {
		n := b.nicOf(e)
		return n != nil && n.Mode == "ib"
	})
}

// loops marks the links between switches that close a loop, within one VLAN, and joins the switches by the others.
func (b *builder) loops() {
	type at struct {
		vlan int
		name string
	}
	root := map[at]at{}
	find := func(k at) at {
		for root[k] != (at{}) && root[k] != k {
			k = root[k]
		}
		return k
	}
	vlans := map[string]int{}
	for _, s := range b.f.Subnets {
		vlans[s.Name] = s.VLAN
	}
	for i, l := range b.p.Links {
		if l.Ends[0].Switch == "" || l.Ends[1].Switch == "" {
			continue
		}
		vlan := vlans[b.f.Links[i].Subnet]
		x, y := find(at{vlan, l.Ends[0].Switch}), find(at{vlan, l.Ends[1].Switch})
		if l.Loop = x == y; !l.Loop {
			root[x] = y
			b.p.index.join(l)
		}
	}
}
