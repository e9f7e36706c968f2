package plan

import (
	"cmp"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
)

// Bundle is several cables that a bond joins to one.
type Bundle struct {
	Name  string // host1.team, or host1.team--host2.team where the other end is a bond, too
	Mode  string // as the file has it: lacp, backup, set
	Links []*Link
	// Bonds are the bond ports at its ends: one, where the cables end at a switch.
	Bonds []*Port
}

// Spreads says whether all members carry something at once: each connection one of them, by a hash of its addresses and ports
// (kernel documentation, bonding, section 2, xmit_hash_policy; IEEE 802.1AX). Of a backup one member carries all.
func (b *Bundle) Spreads() bool { return b.Mode != "backup" }

// Joins says whether a port is one of its bonds.
func (b *Bundle) Joins(p *Port) bool {
	return slices.ContainsFunc(b.Bonds, func(x *Port) bool { return x.ID == p.ID })
}

// Member is the rate of one cable: of a backup that of the one that it prefers, else of the fastest; 0 if none is known.
func (b *Bundle) Member() unit.BitRate {
	if !b.Spreads() {
		return b.Links[0].Speed
	}
	var rate unit.BitRate
	for _, l := range b.Links {
		rate = max(rate, l.Speed)
	}
	return rate
}

// Speed is what all members that work at once carry together, 0 if the rate of one of them is not known.
func (b *Bundle) Speed() unit.BitRate {
	if !b.Spreads() {
		return b.Member()
	}
	var sum unit.BitRate
	for _, l := range b.Links {
		if l.Speed == 0 {
			return 0
		}
		sum += l.Speed
	}
	return sum
}

// Bundle is what the bond that a port is joins; nil: it is no bond, or none of its members has a cable.
func (p *Plan) Bundle(port *Port) *Bundle {
	h := p.Host(port.Host)
	if h == nil || h.Decl == nil {
		return nil
	}
	for _, b := range h.Decl.Bonds {
		if b.Name != port.Card {
			continue
		}
		out := &Bundle{Name: port.ID, Mode: b.Mode, Bonds: []*Port{port}}
		for _, m := range p.Members(b) {
			if l := p.Link(m.Link); l != nil {
				out.Links = append(out.Links, l)
			}
		}
		if len(out.Links) == 0 {
			return nil
		}
		return out
	}
	return nil
}

// between is the bundle of two bonds that the same cables join; nil: there is none.
func (p *Plan) between(x, y *Port) *Bundle {
	a, b := p.Bundle(x), p.Bundle(y)
	if a == nil || b == nil {
		return nil
	}
	a.Links = slices.DeleteFunc(a.Links, func(l *Link) bool { return !slices.Contains(b.Links, l) })
	if len(a.Links) == 0 {
		return nil
	}
	if !b.Spreads() {
		a.Mode = b.Mode
	}
	a.Bonds = append(a.Bonds, y)
	names := []string{x.ID, y.ID}
	slices.Sort(names) // it is one and the same in both directions
	a.Name = strings.Join(names, "--")
	return a
}

// bondSpeeds gives bonds what their members carry, now that it is known what the members' links do.
func (b *builder) bondSpeeds() {
	for _, h := range b.p.Hosts {
		for _, bond := range h.Decl.Bonds {
			port := b.ports[h.Name+"."+bond.Name]
			members := b.p.Members(bond)
			if port == nil || len(members) == 0 {
				continue
			}
			if bond.Mode == "backup" {
				members = members[:1]
			}
			port.Speed = 0
			for _, m := range members {
				if port.Speed += m.Speed; m.Speed == 0 {
					port.Speed = 0
					break
				}
			}
		}
	}
}

// Members are the ports that a bond joins, in the file's order. Of a bond that is a backup the one to use while it works comes
// first: that on the fastest link, of equal ones on the file's first. Two bonds whose cables have no switch between them so
// choose the same cable, without which nothing that one end sends is taken by the other.
func (p *Plan) Members(b *fabric.Bond) []*Port {
	var out []*Port
	rank := map[*Port]int{}
	for _, m := range b.Of {
		port := p.member(m)
		if port == nil {
			continue
		}
		out = append(out, port)
		rank[port] = slices.IndexFunc(p.Links, func(l *Link) bool { return l.Name == port.Link })
	}
	if b.Mode != "backup" {
		return out
	}
	slices.SortStableFunc(out, func(x, y *Port) int {
		i, j := rank[x], rank[y]
		if i < 0 || j < 0 { // without a link it is of no use
			return j - i
		}
		return cmp.Or(cmp.Compare(p.Links[j].Speed, p.Links[i].Speed), i-j)
	})
	return out
}

// member finds a bond's port by what the file calls it: a card's only port has two names.
func (p *Plan) member(m fabric.Port) *Port {
	if port := p.Port(m.String()); port != nil {
		return port
	}
	h := p.Host(m.Host)
	if h == nil {
		return nil
	}
	i := slices.IndexFunc(h.Ports, func(x *Port) bool { return x.Card == m.Card && x.Index == m.Index })
	if i < 0 {
		return nil
	}
	return h.Ports[i]
}

// BondHash is by what a bond that spreads chooses the member of a packet: addresses and ports. The kernel's own choice, MAC addresses, gives
// all that two hosts say to each other to one member.
const BondHash = "layer3+4"

// hashOf is the setting of that; empty: the bond uses one member at a time.
func hashOf(b *fabric.Bond) string {
	if b.Mode == "backup" {
		return ""
	}
	return BondHash
}
