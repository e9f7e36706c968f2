package plan

import (
	"cmp"
	"slices"

	"linerate/fabric"
)

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
