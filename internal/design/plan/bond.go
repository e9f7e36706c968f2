package plan

import (
	"cmp"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
)

// Bundle is the set of cables that a bond joins into one.
type Bundle struct {
	Name  string // host1.team, or host1.team--host2.team if both ends are bonds
	Mode  string // as in the file: lacp, backup, set
	Links []*Link
	// Bonds are the bond ports at its ends: one if the cables end at a switch.
	Bonds []*Port
}

// Spreads reports whether all members carry traffic at once: a hash of its addresses and ports chooses the member of a
// connection (kernel documentation, bonding, section 2, xmit_hash_policy; IEEE 802.1AX). In a backup one member carries
// all.
func (b *Bundle) Spreads() bool { return b.Mode != "backup" }

// Joins reports whether a port is one of its bonds.
func (b *Bundle) Joins(p *Port) bool {
	return slices.ContainsFunc(b.Bonds, func(x *Port) bool { return x.ID == p.ID })
}

// Member returns the rate of one cable: of a backup the preferred one, else the fastest; 0: not known.
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

// Speed returns the sum of the rates of the members that work at once; 0: the rate of one of them is not known.
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

// Bundle returns the cables of a bond port; nil: the port is not a bond, or none of its members has a cable.
func (p *Plan) Bundle(port *Port) *Bundle {
	b := bondNamed(p.Host(port.Host), port.NIC)
	if b == nil {
		return nil
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

// bondNamed returns the host's bond of that name as the file has it, or nil.
func bondNamed(h *Host, name string) *fabric.Bond {
	if h == nil || h.Decl == nil {
		return nil
	}
	return xslices.First(h.Decl.Bonds, func(b *fabric.Bond) bool { return b.Name == name })
}

// between returns the bundle of two bonds that the same cables join, or nil.
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
	slices.Sort(names) // the same name in both directions
	a.Name = strings.Join(names, "--")
	return a
}

// bondSpeeds sets the speeds of bonds, after those of their members.
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

// Members returns the ports that a bond joins, in the order of the file. In a backup the preferred one is first: that
// on the fastest link, of equal ones on the first of the file. So two bonds without a switch between them choose the
// same cable; otherwise neither takes what the other sends.
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
		if i < 0 || j < 0 { // one without a link is last
			return j - i
		}
		return cmp.Or(cmp.Compare(p.Links[j].Speed, p.Links[i].Speed), i-j)
	})
	return out
}

// member finds a bond's port by its name in the file: the only port of a NIC has two names.
func (p *Plan) member(m fabric.Port) *Port {
	if port := p.Port(m.String()); port != nil {
		return port
	}
	h := p.Host(m.Host)
	if h == nil {
		return nil
	}
	i := slices.IndexFunc(h.Ports, func(x *Port) bool { return x.NIC == m.NIC && x.Index == m.Index })
	if i < 0 {
		return nil
	}
	return h.Ports[i]
}

// BondHash is the hash policy of a bond that spreads: addresses and ports. With the kernel's default, MAC addresses,
// one member carries all traffic between two hosts.
const BondHash = "layer3+4"

// hashOf returns the hash policy of a bond; empty: the bond uses one member at a time.
func hashOf(b *fabric.Bond) string {
	if b.Mode == "backup" {
		return ""
	}
	return BondHash
}
