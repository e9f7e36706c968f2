package address

import (
	"cmp"
	"slices"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
)

// member returns the ceiling of one member of a bond on the path in this direction, in bits per second, and the number
// of members in use; 0: the path has no bond.
func member(c *judge.Case) (rate float64, inUse int) {
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

// bond returns the bond if a side's interface is one; nil: it is not a bond, or it is not known.
func bond(s judge.Side) *facts.Bond {
	n := s.NIC()
	if n == nil {
		return nil
	}
	return n.Bond
}

// loads returns the growth of a counter of each member of a bond over the experiment, largest first; nil: that is not
// known for all members.
func loads(s judge.Side, b *facts.Bond, counter string) []load {
	var out []load
	for _, m := range b.Members {
		g, why := s.DeltaOn(m.Name, counter)
		if why != "" {
			return nil
		}
		out = append(out, load{m.Name, g.Gross, b.Carries(m)})
	}
	slices.SortStableFunc(out, func(x, y load) int { return cmp.Compare(y.Bytes, x.Bytes) })
	return out
}

// load is the traffic of one member of a bond.
type load struct {
	Name  string
	Bytes float64
	InUse bool
}
