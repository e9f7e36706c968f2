package report

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// Plan prints a plan: what is cabled to what, what to buy, what to print on the
// labels, the addresses, and what would not work.
func (t Terminal) Plan(p *plan.Plan) error {
	l := t.lines()
	l.planHead(p, "")
	l.bom(&p.BOM)
	l.cables(p)
	l.addresses(p)
	l.hostsFiles(p)
	l.problems(p)
	return l.flush()
}

// Cabling prints the head of a plan with one line a cable, as a run begins with
// it. note stands at the right end of the first line ("lab, 1/10 scale").
func (t Terminal) Cabling(p *plan.Plan, note string) error {
	l := t.lines()
	l.planHead(p, note)
	return l.flush()
}

// planHead prints name, totals and the cables of a plan.
func (l *lines) planHead(p *plan.Plan, note string) {
	parts := []string{count(len(p.Hosts), "host")}
	if len(p.Switches) > 0 {
		parts = append(parts, count(len(p.Switches), "switch"))
	}
	parts = append(parts, count(len(p.Links), "link"))
	if m := money(p.BOM.Totals, unpriced(&p.BOM)); m != "" {
		parts = append(parts, m)
	}
	name := clean(p.Name)
	if p.Variant != "" {
		name += " [" + clean(p.Variant) + "]"
	}
	l.split(name+": "+strings.Join(parts, ", "), note)
	ports := portsByID(p)
	type side struct{ owner, port, address string }
	var sides [][2]side
	var w [6]int
	for _, link := range p.Links {
		var s [2]side
		for i, e := range link.Ends {
			s[i] = side{owner: clean(owner(e)), port: clean(shortPort(e.ID))}
			if port := ports[e.ID]; port != nil && port.Address.IsValid() {
				s[i].address = port.Address.Addr().String()
			}
			w[3*i] = max(w[3*i], width(s[i].owner))
			w[3*i+1] = max(w[3*i+1], width(s[i].port))
			w[3*i+2] = max(w[3*i+2], width(s[i].address))
		}
		sides = append(sides, s)
	}
	cable := 0
	for _, link := range p.Links {
		cable = max(cable, width(cableText(link)))
	}
	for i, link := range p.Links {
		a, b := sides[i][0], sides[i][1]
		text := cableText(link)
		dashes := cable - width(text)
		l.line(
			l.ink(normal, pad(a.owner, w[0])), "  ", l.ink(faint, pad(a.port, w[1])), " ", l.ink(normal, pad(a.address, w[2])),
			l.ink(faint, " ──"+strings.Repeat("─", dashes/2)+" "), l.ink(normal, text), l.ink(faint, " "+strings.Repeat("─", dashes-dashes/2)+"── "),
			l.ink(normal, pad(b.address, w[5])), " ", l.ink(faint, pad(b.port, w[4])), "  ", l.ink(normal, b.owner))
	}
}

func owner(e plan.End) string {
	if e.Host != "" {
		return e.Host
	}
	return e.Switch
}

// shortPort is a port's id without its host or switch.
func shortPort(id string) string {
	if _, rest, ok := strings.Cut(id, "."); ok {
		return rest
	}
	return id
}

func portsByID(p *plan.Plan) map[string]*plan.Port {
	out := map[string]*plan.Port{}
	for _, h := range p.Hosts {
		for _, port := range h.Ports {
			out[port.ID] = port
		}
	}
	return out
}

func cableText(link *plan.Link) string {
	var parts []string
	if link.Cable != nil && link.Cable.Cable != nil && link.Cable.Cable.Media != "" {
		parts = append(parts, clean(string(link.Cable.Cable.Media)))
	} else {
		parts = append(parts, "cable")
	}
	if m, ok := link.LengthM.Get(); ok {
		parts = append(parts, metres(m))
	}
	return strings.Join(parts, " ")
}

func metres(m float64) string { return strconv.FormatFloat(m, 'f', -1, 64) + " m" }

func (l *lines) bom(b *plan.BOM) {
	if len(b.Items) == 0 {
		return
	}
	l.gap()
	l.line(l.ink(bold, "bill of materials"))
	var table [][]entry
	for _, i := range b.Items {
		price, total := "not known", "not known"
		if i.UnitPrice != nil {
			price = i.UnitPrice.Number() + " " + clean(i.Currency)
		}
		if i.Total != nil {
			total = i.Total.Number() + " " + clean(i.Currency)
		}
		note := ""
		switch i.Origin {
		case fabric.PriceOwned:
			price, total, note = "owned", "0", ""
		case fabric.PriceCatalogue:
			note = "price of the catalogue"
		}
		if i.From != "" {
			note = strings.TrimPrefix(note+"; part from "+clean(i.From), "; ")
			if i.Origin == fabric.PriceCatalogue {
				note = "part and price from " + clean(i.From)
			}
		}
		table = append(table, []entry{{Text: strconv.Itoa(i.Count)}, {Text: clean(i.Part)}, {Text: clean(i.Role)}, {Text: price}, {Text: total}, {Text: note}})
	}
	l.table([]column{{Head: "count", Right: true}, {Head: "part"}, {Head: "role"}, {Head: "each", Right: true}, {Head: "total", Right: true}, {Head: "note", Wrap: true}}, table)
	for _, t := range b.Totals {
		if t.Currency == "" {
			continue
		}
		s := t.Amount.Number() + " " + clean(t.Currency)
		if t.Spares.Amount() > 0 {
			s += ", " + t.Spares.Number() + " " + clean(t.Currency) + " of it spares"
		}
		l.line(l.ink(bold, "total "+s))
	}
	if n := unpriced(b); n > 0 {
		l.line(l.ink(accent, count(n, "item")+" without a known price, in no total"))
	}
}

// unpriced counts the pieces whose price is not known.
func unpriced(b *plan.BOM) int {
	n := 0
	for _, i := range b.Items {
		if i.Total == nil && i.Origin != fabric.PriceOwned {
			n += i.Count
		}
	}
	return n
}

func (l *lines) cables(p *plan.Plan) {
	if len(p.Links) == 0 {
		return
	}
	l.gap()
	l.line(l.ink(bold, "cables"))
	var table [][]entry
	for _, link := range p.Links {
		length := notKnown
		if m, ok := link.LengthM.Get(); ok {
			length = metres(m)
		}
		speed := notKnown
		if link.Speed > 0 {
			speed = link.Speed.String()
		}
		part := notKnown
		if link.Cable != nil {
			part = clean(link.Cable.ID)
		}
		table = append(table, []entry{{Text: clean(link.Label)}, {Text: clean(link.Ends[0].ID)}, {Text: clean(link.Ends[1].ID)}, {Text: length}, {Text: speed}, {Text: part}})
	}
	l.table([]column{{Head: "label"}, {Head: "end"}, {Head: "other end"}, {Head: "length", Right: true}, {Head: "rate", Right: true}, {Head: "part", Wrap: true}}, table)
	l.gap()
	l.line(l.ink(bold, "labels"))
	for _, link := range p.Links {
		for i, text := range link.EndLabel {
			if text != "" {
				l.item(2, 24, link.Ends[i].ID, normal, strings.Join(cleanLines(text), " | "))
			}
		}
	}
}

func (l *lines) addresses(p *plan.Plan) {
	var table [][]entry
	for _, h := range p.Hosts {
		for _, port := range h.Ports {
			if port.Address.IsValid() {
				name := clean(port.Interface)
				if !port.Declared {
					name += " *"
				}
				table = append(table, []entry{{Text: clean(h.Name)}, {Text: clean(port.ID)}, {Text: name}, {Text: port.Address.String()}, {Text: fmt.Sprint(port.MTU)}, {Text: clean(port.Link)}})
			}
		}
	}
	if table == nil {
		return
	}
	l.gap()
	l.line(l.ink(bold, "addresses"), l.ink(faint, "  * the lab's name; the file does not say the host's own"))
	l.table([]column{{Head: "host"}, {Head: "port"}, {Head: "interface"}, {Head: "address"}, {Head: "MTU", Right: true}, {Head: "link", Wrap: true}}, table)
}

func (l *lines) hostsFiles(p *plan.Plan) {
	for _, h := range p.Hosts {
		if len(h.Names) == 0 {
			continue
		}
		l.gap()
		l.line(l.ink(bold, "hosts file of "+clean(h.Name)))
		for _, n := range h.Names {
			l.line(indent(2), l.ink(normal, pad(n.Address.String(), 16)+" "+strings.Join(cleaned(n.Names), " ")))
		}
	}
}

func (l *lines) problems(p *plan.Plan) {
	if len(p.Problems) == 0 {
		return
	}
	for _, part := range []struct {
		head string
		info bool
	}{{"problems", false}, {"good to know", true}} {
		headed := false
		for _, problem := range p.Problems {
			if (problem.Severity == record.Info) != part.info {
				continue
			}
			if !headed {
				headed = true
				l.gap()
				l.line(l.ink(bold, part.head))
			}
			s, label := normal, string(problem.Severity)
			if problem.Severity == record.Error {
				s = accent
			}
			l.item(2, 8, label, s, problemText(problem)+" ("+clean(problem.ID)+")")
			if why := clean(problem.Why); why != "" && !part.info {
				l.item(2, 8, "", normal, "why: "+why)
			}
		}
	}
}
