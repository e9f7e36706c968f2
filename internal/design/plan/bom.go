package plan

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// bill counts the parts to buy; equal parts of one price are one line. The cables must have their labels.
func bill(p *Plan) BOM {
	f := p.Fabric
	t := &tally{p: p, index: map[string]int{}, totals: map[string]*record.BOMTotal{}}
	for _, h := range f.Hosts {
		if h.Price.Origin == fabric.PriceWritten {
			t.add("host", &catalog.Part{Name: h.Name}, h.Price, 1, h.Name)
		}
		for _, n := range h.NICs {
			if n.VF == "" {
				t.add("nic", n.Part, n.Price, 1, h.Name+"."+n.Name)
			}
		}
		for _, d := range h.Drives {
			if d.Part != nil {
				t.add("drive", d.Part, d.Price, max(d.Count, 1), h.Name+"."+d.Name)
			}
		}
	}
	for _, s := range f.Switches {
		t.add("switch", s.Part, s.Price, 1, s.Name)
	}
	split := map[string]bool{}
	for i, l := range f.Links {
		if l.Cable.Part == nil || lanesOfOne(l, split) {
			continue
		}
		role, n := "cable", max(l.Cable.Count, 1)
		if l.Cable.Part.Kind == catalog.Transceiver {
			role, n = "transceiver", 2*n // one at each end; the file does not name the fibre
		}
		t.add(role, l.Cable.Part, l.Cable.Price, n, p.Links[i].Label)
	}
	for i, l := range f.Links {
		n := 0
		for _, with := range l.Adapted {
			if with {
				n++
			}
		}
		if l.Adapter.Part != nil && n > 0 {
			t.add("adapter", l.Adapter.Part, l.Adapter.Price, n, p.Links[i].Label)
		}
	}
	for _, s := range f.Spares {
		t.add("spare", s.Part, s.Price, max(s.Count, 1), "")
	}
	return t.bom()
}

// lanesOfOne reports whether a link is a further lane of a breakout cable that another lane of the port has counted.
func lanesOfOne(l *fabric.Link, seen map[string]bool) bool {
	if l.Cable.Part.Cable == nil || len(l.Cable.Part.Cable.Ends) < 3 {
		return false
	}
	for _, e := range l.Ends {
		if e.Lane > 0 {
			key := fmt.Sprintf("%s.%d", e.Switch, e.Index)
			again := seen[key]
			seen[key] = true
			return again
		}
	}
	return false
}

func partName(p *catalog.Part) string {
	if p == nil {
		return "not said"
	}
	return p.Name
}

// numbers returns the aliases of a part that its name does not contain, spaces and hyphens aside.
func numbers(p *catalog.Part) []string {
	bare := func(s string) string { return strings.NewReplacer(" ", "", "-", "").Replace(strings.ToLower(s)) }
	return slices.DeleteFunc(slices.Clone(p.Aliases),
		func(a string) bool { return strings.Contains(bare(p.Name), bare(a)) })
}

type tally struct {
	p        *Plan
	items    []BOMItem
	money    []unit.Money
	index    map[string]int
	totals   map[string]*record.BOMTotal
	unpriced int
}

// add counts n pieces of a part that go to one place; without a place they are spares.
func (t *tally) add(role string, p *catalog.Part, price fabric.Price, n int, place string) {
	part := partName(p)
	key := role + "\x00" + part + "\x00" + string(price.Origin) + "\x00" + price.Money.String()
	i, ok := t.index[key]
	if !ok {
		i = len(t.items)
		t.index[key] = i
		item := BOMItem{Part: part, Role: role, Origin: price.Origin, Bought: p}
		if p != nil {
			item.From, item.Numbers, item.Traps = p.From, numbers(p), t.p.traps(p)
			if price.Origin == fabric.PriceCatalogue && p.Price != nil {
				item.PriceNote = p.Price.Note
			}
		}
		t.items = append(t.items, item)
		t.money = append(t.money, price.Money)
	}
	t.items[i].Count += n
	if place != "" {
		t.items[i].For = append(t.items[i].For, place)
	}
	switch {
	case priced(price.Origin):
		total := t.totals[price.Money.Currency]
		if total == nil {
			total = &record.BOMTotal{Currency: price.Money.Currency}
			t.totals[price.Money.Currency] = total
		}
		sum := price.Money.Times(n)
		total.Amount = total.Amount.Add(sum)
		if role == "spare" {
			total.Spares = total.Spares.Add(sum)
		}
	case price.Origin != fabric.PriceOwned:
		t.unpriced += n
	}
}

func priced(o fabric.PriceOrigin) bool { return o == fabric.PriceWritten || o == fabric.PriceCatalogue }

func (t *tally) bom() BOM {
	b := BOM{Items: t.items}
	for i := range b.Items {
		if priced(b.Items[i].Origin) {
			each, sum := t.money[i], t.money[i].Times(b.Items[i].Count)
			b.Items[i].UnitPrice, b.Items[i].Total, b.Items[i].Currency = &each, &sum, each.Currency
		}
	}
	for _, total := range t.totals {
		total.Unpriced = t.unpriced
		b.Totals = append(b.Totals, *total)
	}
	slices.SortFunc(b.Totals, func(x, y record.BOMTotal) int { return strings.Compare(x.Currency, y.Currency) })
	return b
}
