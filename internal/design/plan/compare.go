package plan

import (
	"cmp"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// Comparison holds one design against another.
type Comparison struct {
	A, B  Summary
	Costs []CostDifference // by currency
	// OnlyA and OnlyB are the hosts and switches that the other does not have.
	OnlyA, OnlyB []string
	Paths        []PathDifference // between hosts that both have, those that differ first
	Items        []ItemDifference // of the bill of materials that differ
	ProblemsA    []record.Problem // that the other does not have
	ProblemsB    []record.Problem
}

// Summary is one design in figures.
type Summary struct {
	Name, Variant          string
	Hosts, Switches, Links int
	Cards, Ports           int // ports of hosts that are plugged
	SwitchPorts            int
	Cables                 int     // links that name a cable
	Metres                 float64 // of the cables whose length is known
	NoLength               int     // links whose cable's length is not known
	Rates                  []RateCount
	Unpriced               int // pieces without a known price
	Power                  Power
	Problems               int
}

// RateCount is how many links run at a rate; 0: of how many it is not known.
type RateCount struct {
	Rate  unit.BitRate
	Links int
}

// CostDifference is what both cost in one currency; nil: nothing in it.
type CostDifference struct {
	Currency         string
	A, B             *unit.Money
	SparesA, SparesB *unit.Money // of it
}

// PathDifference is the fastest path between two hosts; 0: not known, and none where there is no path.
type PathDifference struct {
	From, To       string
	A, B           unit.BitRate
	HopsA, HopsB   int // links of the path; 0: there is none
	CountA, CountB int // paths between them
}

// Differs says whether anything of the path is not the same.
func (d PathDifference) Differs() bool {
	return d.A != d.B || d.HopsA != d.HopsB || d.CountA != d.CountB
}

// ItemDifference is a part that one of two bills has more of.
type ItemDifference struct {
	Role string `json:"role"`
	Part string `json:"part"`
	A    int    `json:"a"`
	B    int    `json:"b"`
}

// mostPairs bounds the pairs of hosts whose paths are compared.
const mostPairs = 2000

// Compare holds b against a.
func Compare(a, b *Plan) Comparison {
	c := Comparison{A: summary(a), B: summary(b)}
	c.Costs = costs(a, b)
	c.OnlyA, c.OnlyB = missing(a, b), missing(b, a)
	c.Paths = pathsOf(a, b)
	c.Items = items(a, b)
	c.ProblemsA, c.ProblemsB = onlyIn(a, b), onlyIn(b, a)
	return c
}

func summary(p *Plan) Summary {
	s := Summary{Name: p.Name, Variant: p.Variant, Hosts: len(p.Hosts), Switches: len(p.Switches), Links: len(p.Links), Power: p.Power(), Problems: len(p.Problems)}
	s.Power.Missing += writtenOut(p)
	for _, h := range p.Fabric.Hosts {
		for _, n := range h.NICs {
			if n.VF == "" {
				s.Cards++
			}
		}
	}
	rates := map[unit.BitRate]int{}
	for _, l := range p.Links {
		rates[l.Speed]++
		for _, e := range l.Ends {
			if e.Host != "" {
				s.Ports++
			} else {
				s.SwitchPorts++
			}
		}
		if l.Cable != nil {
			s.Cables++
		}
		if m, ok := l.LengthM.Get(); ok {
			s.Metres += m
		} else {
			s.NoLength++
		}
	}
	for rate, n := range rates {
		s.Rates = append(s.Rates, RateCount{rate, n})
	}
	slices.SortFunc(s.Rates, func(x, y RateCount) int { return cmp.Compare(y.Rate, x.Rate) })
	for _, i := range p.BOM.Items {
		if i.Total == nil && i.Origin != fabric.PriceOwned {
			s.Unpriced += i.Count
		}
	}
	return s
}

// writtenOut counts what draws power and stands in no catalogue, so that nobody
// knows how much: cards, switches and active cables.
func writtenOut(p *Plan) int {
	n := 0
	count := func(part *catalog.Part, draws bool) {
		if part != nil && part.Confidence == catalog.Declared && draws {
			n++
		}
	}
	for _, h := range p.Fabric.Hosts {
		for _, c := range h.NICs {
			count(c.Part, c.VF == "")
		}
	}
	for _, s := range p.Fabric.Switches {
		count(s.Part, true)
	}
	for _, l := range p.Fabric.Links {
		part := l.Cable.Part
		count(part, part != nil && part.Cable != nil && part.Cable.Media == catalog.AOC)
	}
	return n
}

func costs(a, b *Plan) []CostDifference {
	var all []CostDifference
	at := map[string]int{}
	of := func(currency string) *CostDifference {
		i, ok := at[currency]
		if !ok {
			i = len(all)
			at[currency] = i
			all = append(all, CostDifference{Currency: currency})
		}
		return &all[i]
	}
	for _, t := range a.BOM.Totals {
		d := of(t.Currency)
		d.A, d.SparesA = &t.Amount, &t.Spares
	}
	for _, t := range b.BOM.Totals {
		d := of(t.Currency)
		d.B, d.SparesB = &t.Amount, &t.Spares
	}
	slices.SortFunc(all, func(x, y CostDifference) int { return strings.Compare(x.Currency, y.Currency) })
	return all
}

// missing are the hosts and switches of a that b does not have.
func missing(a, b *Plan) []string {
	has := map[string]bool{}
	for _, h := range b.Hosts {
		has[h.Name] = true
	}
	for _, s := range b.Switches {
		has[s.Name] = true
	}
	var names []string
	for _, h := range a.Hosts {
		if !has[h.Name] {
			names = append(names, h.Name)
		}
	}
	for _, s := range a.Switches {
		if !has[s.Name] {
			names = append(names, s.Name)
		}
	}
	return names
}

// pathsOf compares the paths between every two hosts that both have, in the order of a.
func pathsOf(a, b *Plan) []PathDifference {
	var all []PathDifference
	var names []string
	has := map[string]bool{}
	for _, h := range b.Hosts {
		has[h.Name] = true
	}
	for _, h := range a.Hosts {
		if has[h.Name] {
			names = append(names, h.Name)
		}
	}
	for i := range names {
		for _, to := range names[i+1:] {
			if len(all) == mostPairs {
				break
			}
			d := PathDifference{From: names[i], To: to}
			d.A, d.HopsA, d.CountA = fastest(a.Paths(names[i], to))
			d.B, d.HopsB, d.CountB = fastest(b.Paths(names[i], to))
			if d.CountA+d.CountB > 0 {
				all = append(all, d)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y PathDifference) int {
		return map[bool]int{true: 0, false: 1}[x.Differs()] - map[bool]int{true: 0, false: 1}[y.Differs()]
	})
	return all
}

// fastest is the rate and number of links of the fastest path.
func fastest(paths []Path) (rate unit.BitRate, hops, count int) {
	for _, p := range paths {
		if speed := p.Speed(); hops == 0 || speed > rate {
			rate, hops = speed, len(p.Links)
		}
	}
	return rate, hops, len(paths)
}

// items are the parts that the bills have different numbers of.
func items(a, b *Plan) []ItemDifference {
	var all []ItemDifference
	at := map[string]int{}
	add := func(list []BOMItem, count func(*ItemDifference) *int) {
		for _, i := range list {
			key := i.Role + "\x00" + i.Part
			n, ok := at[key]
			if !ok {
				n = len(all)
				at[key] = n
				all = append(all, ItemDifference{Role: i.Role, Part: i.Part})
			}
			*count(&all[n]) += i.Count
		}
	}
	add(a.BOM.Items, func(d *ItemDifference) *int { return &d.A })
	add(b.BOM.Items, func(d *ItemDifference) *int { return &d.B })
	return slices.DeleteFunc(all, func(d ItemDifference) bool { return d.A == d.B })
}

// onlyIn are the problems of a that b does not have, by what they say.
func onlyIn(a, b *Plan) []record.Problem {
	key := func(p record.Problem) string {
		return strings.Join([]string{p.ID, string(p.Severity), p.Subject, p.Message}, "\x00")
	}
	has := map[string]bool{}
	for _, p := range b.Problems {
		has[key(p)] = true
	}
	return slices.DeleteFunc(slices.Clone(a.Problems), func(p record.Problem) bool { return has[key(p)] })
}
