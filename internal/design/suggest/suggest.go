package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

// Answer is what the catalogue has for a wish.
type Answer struct {
	Wish     Wish
	Designs  []*Design // that fulfil the wish as far as is known, the first of them first
	Failing  []*Design // that do not
	Crossing *Crossing // mesh against switch; nil if no mesh can be built
}

// For finds the designs of a wish, which must be without mistakes (Wish.Check).
func For(w Wish, c *catalog.Catalog) *Answer {
	m := newMaker(w, c)
	a := &Answer{Wish: w}
	var all []line
	for _, l := range lines(w, c) {
		if carries(l.tech, w.RDMA) {
			all = append(all, l)
		}
	}
	var switches []*catalog.Part
	for _, p := range c.Parts {
		if p.Kind == catalog.Switch {
			switches = append(switches, p)
		}
	}
	for _, tech := range Technologies {
		for _, sw := range append([]*catalog.Part{nil}, switches...) {
			var best *Design
			for _, l := range all {
				if l.tech != tech || sw != nil && len(m.ports(l, sw)) == 0 {
					continue
				}
				if d := m.design(l, sw); best == nil || compare(d, best) < 0 {
					best = d
				}
			}
			a.add(best)
		}
		if !slices.ContainsFunc(all, func(l line) bool { return l.tech == tech }) {
			why := fmt.Sprintf("it does not do %s", short(w.Rate))
			if !carries(tech, w.RDMA) {
				why = "it does not carry " + w.RDMA
			}
			a.add(&Design{Name: string(tech), Technology: tech, Fails: []string{why}})
		}
	}
	for _, sw := range switches {
		a.add(m.slow(sw, all))
	}
	slices.SortStableFunc(a.Designs, compare)
	slices.SortStableFunc(a.Failing, func(x, y *Design) int {
		return cmp.Or(cmp.Compare(slices.Index(Technologies, x.Technology), slices.Index(Technologies, y.Technology)), compare(x, y))
	})
	a.Crossing = m.crossing(a, all)
	return a
}

// carries says whether a technology has an RDMA transport at all.
func carries(tech Technology, transport string) bool {
	return transport == "" || (tech == InfiniBand) == (transport == "ib")
}

func (a *Answer) add(d *Design) {
	switch {
	case d == nil:
	case d.OK():
		a.Designs = append(a.Designs, d)
	default:
		a.Failing = append(a.Failing, d)
	}
}

// slow is a switch that no line could use, with the reason; nil if one could.
func (m *maker) slow(sw *catalog.Part, all []line) *Design {
	for _, l := range all {
		if len(m.ports(l, sw)) > 0 {
			return nil
		}
	}
	d := &Design{Name: sw.Name, Switch: sw}
	fastest := max(rateOf(sw, false), rateOf(sw, true))
	switch {
	case sw.Ports == nil || fastest == 0:
		d.fail("its ports are not known")
	case fastest < m.wish.Rate:
		d.fail(fmt.Sprintf("its fastest port does %s", short(fastest)))
	default:
		d.fail("no cable of the catalogue goes into its fast ports")
	}
	return d
}

// compare ranks designs: those that fulfil the wish before the others, fewer pieces
// without a price before more, fewer currencies before more, lower cost before
// higher, known watts before unknown, and fewer cables and ports before more. What is
// unknown never comes before what is known.
func compare(a, b *Design) int {
	return cmp.Or(
		cmp.Compare(len(a.Fails), len(b.Fails)),
		planned(a)-planned(b),
		cmp.Compare(a.Unpriced, b.Unpriced),
		compareCost(a, b),
		cmp.Compare(a.Power.Missing, b.Power.Missing),
		sign(a.Power.High-b.Power.High),
		cmp.Compare(len(a.Unknown), len(b.Unknown)),
		cmp.Compare(a.Cables, b.Cables),
		cmp.Compare(a.Ports, b.Ports),
		cmp.Compare(slices.Index(plugs, a.plug), slices.Index(plugs, b.plug)),
		strings.Compare(a.Name, b.Name),
	)
}

func planned(d *Design) int {
	if d.Plan == nil {
		return 1
	}
	return 0
}

func compareCost(a, b *Design) int {
	x, y := totals(a), totals(b)
	currencies := func(t []record.BOMTotal) string {
		var all []string
		for _, c := range t {
			all = append(all, c.Currency)
		}
		return strings.Join(all, ",")
	}
	if by := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(currencies(x), currencies(y))); by != 0 {
		return by
	}
	for i := range x {
		if by := sign(x[i].Amount.Amount() - y[i].Amount.Amount()); by != 0 {
			return by
		}
	}
	return 0
}

func totals(d *Design) []record.BOMTotal {
	if d.Plan == nil {
		return nil
	}
	return d.Plan.BOM.Totals
}
