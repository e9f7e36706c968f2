package plan

import (
	"cmp"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// Comparison is the differences between two designs.
type Comparison struct {
	A, B  Summary
	Costs []CostDifference // by currency
	// OnlyA and OnlyB are the hosts and switches that the other does not have.
	OnlyA, OnlyB         []string
	Paths                []PathDifference // between hosts that both have, those that differ first
	Items                []ItemDifference // of the bill of materials that differ
	ProblemsA, ProblemsB []record.Problem // that the other does not have
}

// Summary is one design in figures.
type Summary struct {
	Name, Variant          string
	Hosts, Switches, Links int
	NICs, Ports            int // ports of hosts that are plugged
	SwitchPorts            int
	Cables                 int     // links that name a cable
	Metres                 float64 // of the cables whose length is known
	NoLength               int     // links whose cable's length is not known
	Rates                  []RateCount
	Unpriced               int // pieces without a known price
	Power                  Power
	Problems               int
}

// RateCount is the number of links at a rate; 0: not known.
type RateCount struct {
	Rate  unit.BitRate
	Links int
}

// CostDifference is the cost of both designs in one currency; nil: nothing has a price in it.
type CostDifference struct {
	Currency         string
	A, B             *unit.Money
	SparesA, SparesB *unit.Money // included
}

// PathDifference is the fastest path between two hosts; 0: not known, or there is none.
type PathDifference struct {
	From, To       string
	A, B           unit.BitRate
	HopsA, HopsB   int // links of the path
	CountA, CountB int // paths between them
}

// Differs reports whether the paths differ in anything.
func (d PathDifference) Differs() bool {
	return d.A != d.B || d.HopsA != d.HopsB || d.CountA != d.CountB
}

// ItemDifference is a part that two bills have different numbers of.
type ItemDifference struct {
	Role string `json:"role"`
	Part string `json:"part"`
	A    int    `json:"a"`
	B    int    `json:"b"`
}

// maxPairs is the largest number of pairs of hosts whose paths are compared.
const maxPairs = 2000

// Compare compares two designs.
func Compare(a, b *Plan) Comparison {
	return Comparison{A: summary(a), B: summary(b), Costs: costs(a, b), OnlyA: missing(a, b), OnlyB: missing(b, a),
		Paths: pathsOf(a, b), Items: items(a, b), ProblemsA: onlyIn(a, b), ProblemsB: onlyIn(b, a)}
}

func summary(p *Plan) Summary {
	s := Summary{Name: p.Name, Variant: p.Variant, Hosts: len(p.Hosts), Switches: len(p.Switches), Links: len(p.Links),
		Power: p.Power(), Problems: len(p.Problems)}
	s.Power.Missing += writtenOut(p)
	for _, h := range p.Fabric.Hosts {
		for _, n := range h.NICs {
			if n.VF == "" {
				s.NICs++
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

// writtenOut counts the NICs, switches and active cables that no catalogue has, so that their power is not known.
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
	for _, t := range a.BOM.Totals {
		all = append(all, CostDifference{Currency: t.Currency, A: &t.Amount, SparesA: &t.Spares})
	}
	for _, t := range b.BOM.Totals {
		i := slices.IndexFunc(all, func(d CostDifference) bool { return d.Currency == t.Currency })
		if i < 0 {
			i = len(all)
			all = append(all, CostDifference{Currency: t.Currency})
		}
		all[i].B, all[i].SparesB = &t.Amount, &t.Spares
	}
	slices.SortFunc(all, func(x, y CostDifference) int { return strings.Compare(x.Currency, y.Currency) })
	return all
}

// missing returns the hosts and switches of a that b does not have.
func missing(a, b *Plan) []string {
	names := xslices.Map(a.Hosts, func(h *Host) string { return h.Name })
	for _, s := range a.Switches {
		names = append(names, s.Name)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return b.Host(name) != nil || b.Switch(name) != nil })
	if len(names) == 0 {
		return nil
	}
	return names
}

// pathsOf compares the paths between every two hosts that both have, in the order of a.
func pathsOf(a, b *Plan) []PathDifference {
	var all []PathDifference
	var names []string
	for _, h := range a.Hosts {
		if b.Host(h.Name) != nil {
			names = append(names, h.Name)
		}
	}
	for i := range names {
		for _, to := range names[i+1:] {
			if len(all) == maxPairs {
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
		if x.Differs() == y.Differs() {
			return 0
		} else if x.Differs() {
			return -1
		}
		return 1
	})
	return all
}

// fastest returns the rate and number of links of the fastest path, and the number of paths.
func fastest(paths []Path) (rate unit.BitRate, hops, count int) {
	for _, p := range paths {
		if speed := p.Speed(); hops == 0 || speed > rate {
			rate, hops = speed, len(p.Links)
		}
	}
	return rate, hops, len(paths)
}

// items returns the parts that the bills have different numbers of.
func items(a, b *Plan) []ItemDifference {
	var all []ItemDifference
	of := func(i BOMItem) *ItemDifference {
		n := slices.IndexFunc(all, func(d ItemDifference) bool { return d.Role == i.Role && d.Part == i.Part })
		if n < 0 {
			n = len(all)
			all = append(all, ItemDifference{Role: i.Role, Part: i.Part})
		}
		return &all[n]
	}
	for _, i := range a.BOM.Items {
		of(i).A += i.Count
	}
	for _, i := range b.BOM.Items {
		of(i).B += i.Count
	}
	return slices.DeleteFunc(all, func(d ItemDifference) bool { return d.A == d.B })
}

// onlyIn returns the problems of a that b does not have, compared by their texts.
func onlyIn(a, b *Plan) []record.Problem {
	key := func(p record.Problem) string {
		return strings.Join([]string{p.ID, string(p.Severity), p.Subject, p.Message}, "\x00")
	}
	has := xslices.SetOf(b.Problems, key)
	return slices.DeleteFunc(slices.Clone(a.Problems), func(p record.Problem) bool { return has[key(p)] })
}
