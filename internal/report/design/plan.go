package design

import (
	"cmp"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/report/diagram"
	"linerate/internal/report/format"
	"linerate/internal/report/terminal"
)

// PrintPlan prints a plan: its problems, cables, bill of materials, labels and addresses, and the command that follows.
func PrintPlan(t terminal.Terminal, p *plan.Plan) error {
	l := t.Lines()
	printTitle(l, p, "")
	printProblems(l, p)
	if len(p.Problems) > 0 && len(p.Links) > 0 {
		l.Gap()
	}
	printLinks(l, p)
	printBOM(l, &p.BOM)
	printCables(l, p)
	printAddresses(l, p)
	printHostsFiles(l, p)
	if p.Fabric != nil && p.Fabric.Path != "" {
		l.Gap()
		l.Command(0, 4, "next", "linerate config "+format.Command([]string{p.Fabric.Path})+" -o config")
	}
	return l.Flush()
}

// PrintCabling prints the header of a plan with one line for each cable, as at the start of a run. note is at the right
// end of the first line ("lab, 1/10 scale").
func PrintCabling(t terminal.Terminal, p *plan.Plan, note string) error {
	l := t.Lines()
	printTitle(l, p, note)
	printLinks(l, p)
	return l.Flush()
}

// printTitle prints the name and the totals of a plan.
func printTitle(l *terminal.Lines, p *plan.Plan, note string) {
	parts := []string{unit.Counted(len(p.Hosts), "host")}
	if len(p.Switches) > 0 {
		parts = append(parts, unit.Counted(len(p.Switches), "switch"))
	}
	parts = append(parts, unit.Counted(len(p.Links), "link"))
	if m := format.Money(p.BOM.Totals, unpriced(&p.BOM)); m != "" {
		parts = append(parts, m)
	}
	name := format.Clean(p.Name)
	if p.Variant != "" {
		name += " [" + format.Clean(p.Variant) + "]"
	}
	l.Split(name+": "+strings.Join(parts, ", "), note)
}

// printLinks prints the cables of a plan, a line each.
func printLinks(l *terminal.Lines, p *plan.Plan) {
	ports := portsByID(p)
	type side struct{ owner, port, address string }
	var sides [][2]side
	var w [6]int
	for _, link := range p.Links {
		var s [2]side
		for i, e := range link.Ends {
			s[i] = side{owner: format.Clean(owner(e)), port: format.Clean(diagram.ShortPort(e.ID))}
			if port := ports[e.ID]; port != nil && port.Address.IsValid() {
				s[i].address = port.Address.Addr().String()
			}
			w[3*i] = max(w[3*i], format.Width(s[i].owner))
			w[3*i+1] = max(w[3*i+1], format.Width(s[i].port))
			w[3*i+2] = max(w[3*i+2], format.Width(s[i].address))
		}
		sides = append(sides, s)
	}
	cable := 0
	for _, link := range p.Links {
		cable = max(cable, format.Width(cableText(link)))
	}
	for i, link := range p.Links {
		a, b := sides[i][0], sides[i][1]
		text := cableText(link)
		dashes := cable - format.Width(text)
		l.Line(l.Ink(terminal.Normal, format.Pad(a.owner, w[0])), "  ", l.Ink(terminal.Faint, format.Pad(a.port, w[1])), " ",
			l.Ink(terminal.Normal, format.Pad(a.address, w[2])), l.Ink(terminal.Faint, " ──"+strings.Repeat("─", dashes/2)+" "),
			l.Ink(terminal.Normal, text), l.Ink(terminal.Faint, " "+strings.Repeat("─", dashes-dashes/2)+"── "),
			l.Ink(terminal.Normal, format.Pad(b.address, w[5])), " ", l.Ink(terminal.Faint, format.Pad(b.port, w[4])), "  ",
			l.Ink(terminal.Normal, b.owner))
	}
}

func owner(e plan.End) string {
	return cmp.Or(e.Host, e.Switch)
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
		parts = append(parts, format.Clean(string(link.Cable.Cable.Media)))
	} else {
		parts = append(parts, "cable")
	}
	if m, ok := link.LengthM.Get(); ok {
		parts = append(parts, metres(m))
	}
	return strings.Join(parts, " ")
}

func metres(m float64) string { return strconv.FormatFloat(m, 'f', -1, 64) + " m" }

func printBOM(l *terminal.Lines, b *plan.BOM) {
	if len(b.Items) == 0 {
		return
	}
	l.Heading("bill of materials")
	var table [][]terminal.Entry
	for _, i := range b.Items {
		price, total := "not known", "not known"
		if i.UnitPrice != nil {
			price = i.UnitPrice.Number() + " " + format.Clean(i.Currency)
		}
		if i.Total != nil {
			total = i.Total.Number() + " " + format.Clean(i.Currency)
		}
		note := ""
		switch i.Origin {
		case fabric.PriceOwned:
			price, total, note = "owned", "0", ""
		case fabric.PriceCatalogue:
			note = "price of the catalogue"
		}
		if i.From != "" {
			note = strings.TrimPrefix(note+"; part from "+format.Clean(i.From), "; ")
			if i.Origin == fabric.PriceCatalogue {
				note = "part and price from " + format.Clean(i.From)
			}
		}
		table = append(table, terminal.Row(strconv.Itoa(i.Count), format.Clean(i.Part), format.Clean(i.Role), price, total,
			note))
	}
	l.Table([]terminal.Column{{Head: "count", Right: true}, {Head: "part"}, {Head: "role"}, {Head: "each", Right: true},
		{Head: "total", Right: true}, {Head: "note", Wrap: true}}, table)
	for _, t := range b.Totals {
		if t.Currency == "" {
			continue
		}
		s := t.Amount.Number() + " " + format.Clean(t.Currency)
		if t.Spares.Amount() > 0 {
			s += ", " + t.Spares.Number() + " " + format.Clean(t.Currency) + " of it spares"
		}
		l.Line(l.Ink(terminal.Bold, "total "+s))
	}
	if n := unpriced(b); n > 0 {
		l.Line(l.Ink(terminal.Accent, unit.Counted(n, "item")+" without a known price, in no total"))
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

func printCables(l *terminal.Lines, p *plan.Plan) {
	if len(p.Links) == 0 {
		return
	}
	l.Heading("cables")
	var table [][]terminal.Entry
	for _, link := range p.Links {
		length := format.NotKnown
		if m, ok := link.LengthM.Get(); ok {
			length = metres(m)
		}
		speed := format.NotKnown
		if link.Speed > 0 {
			speed = link.Speed.String()
		}
		part := format.NotKnown
		if link.Cable != nil {
			part = format.Clean(link.Cable.Name)
		}
		table = append(table, terminal.Row(format.Clean(link.Label), format.Clean(link.Ends[0].ID),
			format.Clean(link.Ends[1].ID), length, speed, part))
	}
	l.Table([]terminal.Column{{Head: "label"}, {Head: "end"}, {Head: "other end"}, {Head: "length", Right: true},
		{Head: "rate", Right: true}, {Head: "part", Wrap: true}}, table)
	l.Heading("labels")
	for _, link := range p.Links {
		for i, text := range link.EndLabel {
			if text != "" {
				l.Item(2, 24, link.Ends[i].ID, terminal.Normal, strings.Join(format.CleanLines(text), " | "))
			}
		}
	}
}

func printAddresses(l *terminal.Lines, p *plan.Plan) {
	links := map[string]string{}
	for port, x := range portsByID(p) {
		links[format.Clean(port)] = format.Clean(x.Link)
	}
	addresses, star := addressViews(p)
	if addresses == nil {
		return
	}
	table := xslices.Map(addresses, func(a addressView) []terminal.Entry {
		return terminal.Row(a.Host, a.Port, a.Interface, a.Address, a.MTU, links[a.Port])
	})
	l.Gap()
	l.Line(l.Ink(terminal.Bold, "addresses"),
		l.Ink(terminal.Faint, unit.If(star, "  * the driver's name for it; the file does not name it", "")))
	l.Table([]terminal.Column{{Head: "host"}, {Head: "port"}, {Head: "interface"}, {Head: "address"},
		{Head: "MTU", Right: true}, {Head: "link", Wrap: true}}, table)
}

func printHostsFiles(l *terminal.Lines, p *plan.Plan) {
	for _, h := range p.Hosts {
		if len(h.Names) == 0 {
			continue
		}
		l.Heading("hosts file of " + format.Clean(h.Name))
		for _, n := range h.Names {
			l.Line(strings.Repeat(" ", 2),
				l.Ink(terminal.Normal, format.Pad(n.Address.String(), 16)+" "+strings.Join(format.Cleaned(n.Names), " ")))
		}
	}
}

func printProblems(l *terminal.Lines, p *plan.Plan) {
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
				l.Heading(part.head)
			}
			s, label := terminal.Normal, string(problem.Severity)
			if problem.Severity == record.Error {
				s = terminal.Accent
			}
			l.Item(2, 8, label, s, format.ProblemText(problem)+" ("+format.Clean(problem.ID)+")")
			if why := format.Clean(problem.Why); why != "" && !part.info {
				l.Item(2, 8, "", terminal.Normal, "why: "+why)
			}
		}
	}
}
