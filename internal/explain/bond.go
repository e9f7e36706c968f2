package explain

import (
	"cmp"
	"slices"

	"linerate/internal/facts"
)

// member is what one member of a bond on the path carries of this direction alone, bits per second, and how many of them are in use; 0: the path
// has no bond.
func (c *Case) member() (rate float64, inUse int) {
	if c.Chain == nil {
		return 0, 0
	}
	for _, h := range c.Chain.Hops {
		n := h.Members()
		all, ok := h.Rate.Get()
		if n == 0 || !ok {
			continue
		}
		rate, inUse = float64(all)/float64(n), n
		if c.Exp.Direction == "both" {
			rate /= 2
		}
		return rate, inUse
	}
	return 0, 0
}

// bond is the bond that a side's interface is; nil: it is none, or it is not known.
func (s Side) bond() *facts.Bond {
	n := s.NIC()
	if n == nil {
		return nil
	}
	return n.Bond
}

// loads are by how much a counter of each member of a bond grew over the experiment, the most first; nil: that is not known of all.
func (s Side) loads(b *facts.Bond, counter string) []load {
	var out []load
	for _, m := range b.Members {
		g, why := s.deltaOn(m.Name, counter)
		if why != "" {
			return nil
		}
		out = append(out, load{m.Name, g.Gross, b.Carries(m)})
	}
	slices.SortStableFunc(out, func(x, y load) int { return cmp.Compare(y.Bytes, x.Bytes) })
	return out
}

// load is what one member of a bond carried.
type load struct {
	Name  string
	Bytes float64
	InUse bool
}
