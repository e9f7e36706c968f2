package design

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/report/diagram"
	"linerate/internal/report/format"
)

// roleView is the items of one role of the bill of materials.
type roleView struct {
	Name  string
	Count string
	Items []itemView
	Sums  []string // by currency; nil: one item, which is the sum
}

type itemView struct {
	Count, Part, For, Each, Price string
	What                          string   // ports and edge, in a few words
	Numbers                       string   // other part numbers
	Traps                         []string // reasons for buying the wrong one
	Totals                        []string // by currency
}

type totalView struct {
	Name   string
	Totals []string
}

// roleWords returns a readable name of a role.
func roleWords(role string) string {
	switch role {
	case "nic":
		return "NIC"
	case "spare":
		return "spare"
	}
	return format.Clean(role)
}

// bill lists the materials by role, with a column of totals for every currency.
func (v *planView) bill(b *plan.BOM) {
	for _, t := range b.Totals {
		if t.Currency != "" {
			v.Currencies = append(v.Currencies, format.Clean(t.Currency))
		}
	}
	at := map[string]int{}
	pieces := map[string]int{}
	items := map[string][]plan.BOMItem{}
	for _, i := range b.Items {
		k, ok := at[i.Role]
		if !ok {
			k = len(v.Roles)
			at[i.Role] = k
			v.Roles = append(v.Roles, roleView{Name: roleWords(i.Role)})
		}
		pieces[i.Role] += i.Count
		items[i.Role] = append(items[i.Role], i)
		v.Roles[k].Count = strconv.Itoa(pieces[i.Role])
		v.Roles[k].Items = append(v.Roles[k].Items, v.item(&i))
		v.Written = v.Written || i.Origin == fabric.PriceWritten
		v.FromCatalogue = v.FromCatalogue || i.Origin == fabric.PriceCatalogue
	}
	for role, k := range at {
		if len(items[role]) > 1 {
			v.Roles[k].Sums = v.sums(items[role])
		}
	}
	v.total(b)
	if n := unpriced(b); n > 0 {
		v.Unpriced = unit.Counted(n, "item") + " without a known price, in no total."
	}
	if len(v.Currencies) > 1 {
		v.Unpriced = strings.TrimSpace(v.Unpriced + " The currencies are not converted.")
	}
}

func (v *planView) item(i *plan.BOMItem) itemView {
	item := itemView{Count: strconv.Itoa(i.Count), Part: format.Clean(i.Part), Each: format.NotKnown,
		Totals: make([]string, len(v.Currencies)), What: partWords(i.Bought),
		Numbers: strings.Join(format.Cleaned(i.Numbers), ", "), Traps: format.Cleaned(i.Traps),
		For: diagram.Span(format.Cleaned(i.For))}
	if i.Role == "spare" {
		item.For = "the shelf: the file lists it under spares"
	}
	if i.UnitPrice != nil {
		item.Each = i.UnitPrice.Number() + " " + format.Clean(i.Currency)
	}
	for c, currency := range v.Currencies {
		if i.Total != nil && format.Clean(i.Currency) == currency {
			item.Totals[c] = i.Total.Number()
		}
	}
	switch i.Origin {
	case fabric.PriceOwned:
		item.Each, item.Price = "owned", "costs nothing more"
	case fabric.PriceCatalogue:
		item.Price = "of the catalogue"
		if i.PriceNote != "" {
			item.Price += ": " + format.Clean(i.PriceNote)
		}
	case fabric.PriceWritten:
		item.Price = "of the file"
	default:
		item.Price = "price not known: in no total"
	}
	if i.From != "" {
		item.Price += "; part from " + format.Clean(i.From)
	}
	return item
}

// sums adds up items, by currency; empty where no price is known.
func (v *planView) sums(items []plan.BOMItem) []string {
	out := make([]string, len(v.Currencies))
	for c, currency := range v.Currencies {
		var sum *plan.BOMItem
		for k := range items {
			i := items[k]
			if i.Total == nil || format.Clean(i.Currency) != currency {
				continue
			}
			if sum == nil {
				total := *i.Total
				sum = &plan.BOMItem{Total: &total}
				continue
			}
			total := sum.Total.Add(*i.Total)
			sum.Total = &total
		}
		if sum != nil {
			out[c] = sum.Total.Number()
		}
	}
	return out
}

func (v *planView) total(b *plan.BOM) {
	if len(v.Currencies) == 0 {
		return
	}
	all := totalView{Name: "all", Totals: make([]string, len(v.Currencies))}
	spares := totalView{Name: "spares", Totals: make([]string, len(v.Currencies))}
	without := totalView{Name: "without spares", Totals: make([]string, len(v.Currencies))}
	any := false
	for c, currency := range v.Currencies {
		for _, t := range b.Totals {
			if format.Clean(t.Currency) != currency {
				continue
			}
			all.Totals[c] = t.Amount.Number()
			without.Totals[c] = t.Amount.Add(t.Spares.Times(-1)).Number()
			if t.Spares.Amount() > 0 {
				spares.Totals[c], any = t.Spares.Number(), true
			}
		}
	}
	if any {
		v.Totals = append(v.Totals, without, spares)
	}
	v.Totals = append(v.Totals, all)
}

// partWords describes what to check in an offer: ports, edge, plugs. Unknown properties are omitted.
func partWords(p *catalog.Part) string {
	if p == nil {
		return ""
	}
	var out []string
	if n := len(p.Ports); n > 0 && (p.Kind == catalog.NIC || p.Kind == catalog.Switch) {
		groups := map[catalog.Cage]int{}
		var order []catalog.Cage
		for _, port := range p.Ports {
			if groups[port.Cage] == 0 {
				order = append(order, port.Cage)
			}
			groups[port.Cage]++
		}
		for _, cage := range order {
			text := unit.Counted(groups[cage], "port")
			if cage != "" {
				text += " " + cageWords(cage)
			}
			out = append(out, text)
		}
	}
	if p.Kind == catalog.NIC && p.PCIe != nil {
		out = append(out, "PCIe "+strconv.Itoa(p.PCIe.Gen)+".0 x"+strconv.Itoa(p.PCIe.Lanes))
	}
	if p.Cable != nil && len(p.Cable.Ends) > 0 {
		var ends []string
		for _, e := range p.Cable.Ends {
			if w := cageWords(e); len(ends) == 0 || ends[len(ends)-1] != w {
				ends = append(ends, w)
			}
		}
		out = append(out, strings.Join(ends, " to ")+" plugs")
	}
	return format.Clean(strings.Join(out, ", "))
}

// cageWords names a cage as in offers: SFP+, QSFP28, RJ45.
func cageWords(c catalog.Cage) string { return strings.ToUpper(string(c)) }
