package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
)

// Crossing compares a mesh with a switch, for the required number of hosts and some more.
type Crossing struct {
	Line string // the kind of cable that both are built with
	Rows []CrossingRow
	// Ends is the number of hosts from which on a mesh cannot be built, with the reason; 0: none up to MostHosts.
	Ends    int
	EndsWhy string
	// Switch is the cheapest switch in the rows' currency that fulfils the requirement; nil: none has a price in it.
	Switch *catalog.Part
	// From is the number of hosts from which on that switch costs less; 0: not known.
	From int
	// Others are switches that would also do with prices in other currencies, the cheapest of each first.
	Others []*catalog.Part
}

// CrossingRow is the comparison for one number of hosts.
type CrossingRow struct {
	Hosts        int
	Mesh, Star   Count
	Below        *unit.Money // a switch below this price costs less in total; nil: not known
	BelowUnknown string
}

// Count is the number of parts of one topology.
type Count struct {
	Ports, NICs, Cables int
	Cost                *unit.Money // of NICs and cables, without a switch; nil: not known
	Estimated           bool        // the cost contains estimates
	Unpriced            int
}

// crossing compares with the line of the first mesh.
func (m *maker) crossing(a *Answer, all []line) *Crossing {
	var first *Design
	for _, d := range slices.Concat(a.Designs, a.Failing) {
		if d.Switch == nil && d.Plan != nil {
			first = d
			break
		}
	}
	if first == nil {
		return nil
	}
	var l line
	for _, x := range all {
		if x.name == first.Line && x.tech == first.Technology {
			l = x
		}
	}
	x := &Crossing{Line: l.name}
	for n := max(2, m.requirements.Hosts-1); n <= MostHosts; n++ {
		mesh, why := m.count(l, n, n-1)
		if why != "" {
			x.Ends, x.EndsWhy = n, why
			break
		}
		if n > m.requirements.Hosts+3 {
			continue
		}
		star, _ := m.count(l, n, 1)
		x.Rows = append(x.Rows, below(CrossingRow{Hosts: n, Mesh: mesh, Star: star}))
	}
	m.priced(x, l)
	return x
}

// count adds up the parts of n hosts with so many ports each, or returns the reason why that is impossible.
func (m *maker) count(l line, n, ports int) (Count, string) {
	w := m.requirements
	w.Hosts = n
	c := Count{Ports: n * ports, Cables: n * ports / 2}
	if ports == 1 {
		c.Cables = n
	}
	sum, known := unit.Money{}, true
	add := func(p *catalog.Part, times int) {
		each, estimated, ok := m.priceOf(p)
		if estimated {
			c.Unpriced += times
		}
		if !ok || sum.Currency != "" && each.Currency != sum.Currency {
			known = false
			return
		}
		c.Estimated = c.Estimated || estimated
		sum = sum.Add(each.Times(times))
	}
	chosen := map[System]pick{}
	for i := range n {
		s := w.system(i)
		p, ok := chosen[s]
		if !ok {
			var why string
			if p, why = m.choose(l, s, ports); p.part == nil {
				return Count{}, why
			}
			chosen[s] = p
		}
		c.NICs += p.count
		add(p.part, p.count)
	}
	if l.fibre != "" {
		add(l.part, 2*c.Cables)
		add(fibreOf(l.part), c.Cables)
	} else {
		add(l.cable(), c.Cables)
	}
	if known {
		c.Cost = &sum
	}
	return c, ""
}

// below computes the price below which a switch is cheaper.
func below(r CrossingRow) CrossingRow {
	switch {
	case r.Mesh.Cost == nil || r.Star.Cost == nil:
		r.BelowUnknown = "the price of a part is not known"
	case r.Mesh.Cost.Currency != r.Star.Cost.Currency:
		r.BelowUnknown = "the prices are in different currencies"
	case r.Mesh.Cost.Amount() > r.Star.Cost.Amount():
		less := r.Mesh.Cost.Add(r.Star.Cost.Times(-1))
		r.Below = &less
	default:
		r.BelowUnknown = fmt.Sprintf("no switch: the mesh costs %s, NICs and cables to a switch %s", r.Mesh.Cost,
			r.Star.Cost)
	}
	return r
}

// priced finds a switch of the catalogue to compare with the rows.
func (m *maker) priced(x *Crossing, l line) {
	for _, p := range m.catalog.Parts {
		if p.Kind != catalog.Switch || p.Price == nil || len(m.ports(l, p)) < m.requirements.Hosts {
			continue
		}
		x.Others = append(x.Others, p)
		for _, r := range x.Rows {
			if r.Below == nil || r.Below.Currency != p.Price.Money.Currency || len(m.ports(l, p)) < r.Hosts {
				continue
			}
			if x.Switch == nil || p.Price.Money.Amount() < x.Switch.Price.Money.Amount() {
				x.Switch = p
			}
			break
		}
	}
	slices.SortStableFunc(x.Others, func(a, b *catalog.Part) int {
		return cmp.Or(strings.Compare(a.Price.Money.Currency, b.Price.Money.Currency),
			cmp.Compare(a.Price.Money.Amount(), b.Price.Money.Amount()))
	})
	if x.Switch == nil {
		return
	}
	for _, r := range x.Rows {
		if r.Below != nil && x.Switch.Price.Money.Amount() < r.Below.Amount() && len(m.ports(l, x.Switch)) >= r.Hosts {
			x.From = r.Hosts
			return
		}
	}
}
