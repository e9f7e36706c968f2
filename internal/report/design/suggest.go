package design

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/suggest"
	"linerate/internal/report/format"
	"linerate/internal/report/terminal"
)

// shownDesigns is the smallest number of designs in a table; the best of each technology, as mesh and with a switch, is
// always in it.
const shownDesigns = 8

// PrintSuggestions prints the designs that fulfil the requirements: all of them, or the best.
func PrintSuggestions(t terminal.Terminal, a *suggest.Answer, all bool) error {
	l := t.Lines()
	l.Text(terminal.Bold, 0, "requirements: "+a.Requirements.String())
	if len(a.Designs) == 0 {
		l.Text(terminal.Accent, 0, "No design out of the catalogue fulfils it.")
	} else {
		printDesigns(l, a, all)
	}
	printFailing(l, a, all)
	printCrossing(l, a)
	return l.Flush()
}

func printDesigns(l *terminal.Lines, a *suggest.Answer, all bool) {
	var table [][]terminal.Entry
	seen := map[string]bool{}
	left := 0
	faster, less := a.Faster()
	for i, d := range a.Designs {
		kind := string(d.Technology) + d.Topology()
		if !all && i >= shownDesigns && seen[kind] && i+1 != faster {
			left++
			continue
		}
		seen[kind] = true
		table = append(table, terminal.Row(strconv.Itoa(i+1), designCost(d), designWatts(d), linkRate(d.Rate),
			fmt.Sprintf("%d/%d", d.Ports, d.Cables), format.Clean(string(d.Technology)+": "+d.Name)))
	}
	l.Gap()
	if l.Width < 110 { // each design has a line of its own below its figures
		design := len(table[0]) - 1
		figures := slices.Clone(table)
		for i := range figures {
			figures[i] = table[i][:design]
		}
		printFiguresOf(l, figures, func(i int) string { return table[i][design].Text })
	} else {
		l.Table(append(slices.Clone(figureColumns), terminal.Column{Head: "design", Wrap: true}), table)
	}
	if left > 0 {
		l.Text(terminal.Faint, 0, fmt.Sprintf("%d more rank lower; --all shows them", left))
	}
	if faster > 0 {
		d := a.Designs[faster-1]
		l.Text(terminal.Normal, 0, fmt.Sprintf("%s: design %d has %s links, for %s",
			unit.If(less, "or for less", "or faster, for little more"), faster, linkRate(d.Rate), designCost(d)))
	}
	l.Text(terminal.Faint, 0,
		"Links of the speed of the requirement come first, with two hosts a direct cable. Then the cost ranks, in which "+
			"an estimate counts twice. \"about\": an "+
			"estimate from the known prices of parts of the same kind. Totals are not converted; the order uses rough "+
			"exchange rates. +N: the power of N parts is not known. Passive copper counts as drawing nothing.")
}

// figureColumns are those before the design itself.
var figureColumns = []terminal.Column{{Head: "#", Right: true}, {Head: "cost", Right: true},
	{Head: "watts", Right: true}, {Head: "links", Right: true}, {Head: "ports/cables", Right: true}}

// printFiguresOf prints rows of figures, each with a text below it.
func printFiguresOf(l *terminal.Lines, rows [][]terminal.Entry, below func(i int) string) {
	widths := make([]int, len(figureColumns))
	headers := make([]string, len(figureColumns))
	for c, column := range figureColumns {
		widths[c] = format.Width(column.Head)
		for _, r := range rows {
			widths[c] = max(widths[c], format.Width(r[c].Text))
		}
		headers[c] = format.PadLeft(column.Head, widths[c])
	}
	l.Line(l.Ink(terminal.Faint, strings.Join(headers, "  ")+"  design below"))
	for i, r := range rows {
		values := make([]string, len(r))
		for c := range r {
			values[c] = format.PadLeft(r[c].Text, widths[c])
		}
		l.Line(l.Ink(terminal.Normal, strings.Join(values, "  ")))
		l.Text(terminal.Normal, widths[0]+2, below(i))
	}
}

func designCost(d *suggest.Design) string {
	var all []string
	if d.Plan != nil {
		for _, t := range d.Plan.BOM.Totals {
			all = append(all, t.Amount.Number()+" "+format.Clean(t.Currency))
		}
	}
	var order []string
	sums := map[string]unit.Money{}
	estimated := 0
	for _, e := range d.Estimates {
		if _, ok := sums[e.Each.Currency]; !ok {
			order = append(order, e.Each.Currency)
		}
		sums[e.Each.Currency] = sums[e.Each.Currency].Add(e.Each.Times(e.Count))
		estimated += e.Count
	}
	for _, currency := range order {
		all = append(all, about(sums[currency]))
	}
	if n := d.Unpriced - estimated; n > 0 {
		all = append(all, strconv.Itoa(n)+" unknown")
	}
	return strings.Join(all, " + ")
}

// about prints an estimated amount without decimals from 10 on: they would say more than is known.
func about(m unit.Money) string {
	if m.Amount() >= 10 {
		return fmt.Sprintf("about %.0f %s", m.Amount(), format.Clean(m.Currency))
	}
	return fmt.Sprintf("about %s %s", m.Number(), format.Clean(m.Currency))
}

func designWatts(d *suggest.Design) string {
	text := format.NotKnown
	if d.Power.Known > 0 {
		text = unit.Significant(d.Power.High) + " W"
		if d.Power.Missing > 0 {
			text += fmt.Sprintf(" +%d", d.Power.Missing)
		}
	}
	return text
}

func linkRate(r unit.BitRate) string {
	if r == 0 {
		return format.NotKnown
	}
	return strings.TrimSuffix(unit.Significant(float64(r)/1e9), ".0") + "G"
}

// PrintSuggested prints one design of an answer: its parts, the features of its drivers, and what is not known.
func PrintSuggested(t terminal.Terminal, d *suggest.Design, number int) error {
	l := t.Lines()
	l.Gap()
	l.Text(terminal.Bold, 0, fmt.Sprintf("design %d: %s", number, d.Name))
	if d.Plan != nil {
		printBOM(l, &d.Plan.BOM)
	}
	for _, e := range d.Estimates {
		l.Item(0, 13, "estimate", terminal.Normal,
			fmt.Sprintf("%d x %s: %s each, %s", e.Count, format.Clean(e.Part), about(e.Each), format.Clean(e.From)))
	}
	l.Gap()
	for _, h := range d.Hosts {
		l.Item(0, 13, h.Name, terminal.Normal, fmt.Sprintf("%s, %d x %s", h.System, h.Count, h.NIC.Name))
	}
	for _, c := range d.Systems() {
		text := "no source names a driver of " + c.NIC.Name
		if c.HasDriver {
			text = driverText(c)
		}
		l.Item(0, 13, c.System.String(), terminal.Normal, text)
	}
	for _, trap := range traps(d) {
		l.Item(0, 13, "note", terminal.Accent, trap)
	}
	for _, u := range d.Unknown {
		l.Item(0, 13, "unknown", terminal.Normal, u)
	}
	for _, n := range d.Notes {
		l.Item(0, 13, "note", terminal.Normal, n)
	}
	return l.Flush()
}

func driverText(c suggest.Can) string {
	driver := cmp.Or(c.Driver.Driver, "driver not known")
	if c.Driver.Status != "" {
		driver += " (" + c.Driver.Status + ")"
	}
	sriov := c.Driver.SRIOV
	if has, ok := c.NIC.SRIOV.Get(); ok && !has {
		sriov = c.NIC.SRIOV
	}
	return fmt.Sprintf("%s: %s; %s; PFC %s; SR-IOV %s", c.NIC.Name, driver, rdmaOn(c.NIC, c.System.Drivers()),
		yesNo(c.Driver.PFC), yesNo(sriov))
}

// traps returns those of the parts in a design.
func traps(d *suggest.Design) []string {
	var all []string
	add := func(name string, texts []string) {
		for _, t := range texts {
			if text := name + ": " + t; !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	for _, h := range d.Hosts {
		add(h.NIC.Name, h.NIC.Traps)
	}
	if d.Switch != nil {
		add(d.Switch.Name, d.Switch.Traps)
	}
	return all
}

// printFailing lists designs that do not fulfil the requirements, grouped by reason.
func printFailing(l *terminal.Lines, a *suggest.Answer, all bool) {
	if len(a.Failing) == 0 {
		return
	}
	var reasons []string
	by := map[string][]string{}
	for _, d := range a.Failing {
		why := format.Clean(strings.Join(d.Fails, "; and "))
		if d.Switch != nil {
			why = strings.ReplaceAll(why, d.Switch.Name, "it")
		}
		if _, ok := by[why]; !ok {
			reasons = append(reasons, why)
		}
		by[why] = append(by[why], format.Clean(d.Name))
	}
	l.Heading("does not meet the requirements")
	for _, why := range reasons {
		names := by[why]
		more := ""
		if n := len(names); !all && n > 6 {
			names, more = names[:6], fmt.Sprintf(" and %d more", n-6)
		}
		l.Text(terminal.Normal, 2, why+": "+strings.Join(names, "; ")+more)
	}
}

// printCrossing prints the number of hosts from which on a switch is the better choice.
func printCrossing(l *terminal.Lines, a *suggest.Answer) {
	x := a.Crossing
	if x == nil {
		return
	}
	l.Gap()
	l.Text(terminal.Bold, 0, "mesh or switch ("+x.Line+")")
	var table [][]terminal.Entry
	for _, r := range x.Rows {
		below := unit.If(r.Mesh.Cost != nil && r.Star.Cost != nil, "the mesh, whatever a switch costs", "not known")
		if r.Below != nil {
			below = "a switch below " + unit.If(r.Mesh.Estimated || r.Star.Estimated, about(*r.Below), r.Below.String())
		}
		table = append(table, terminal.Row(strconv.Itoa(r.Hosts), fmt.Sprintf("%d / %d", r.Mesh.Ports, r.Mesh.Cables),
			countCost(r.Mesh), fmt.Sprintf("%d / %d", r.Star.Ports, r.Star.Cables), countCost(r.Star), below))
	}
	l.Table([]terminal.Column{{Head: "hosts", Right: true}, {Head: "mesh: ports/cables", Right: true},
		{Head: "cost", Right: true}, {Head: "switch: ports/cables", Right: true}, {Head: "without it", Right: true},
		{Head: "cheaper is", Wrap: true}}, table)
	l.Text(terminal.Faint, 0, "a mesh of n hosts takes n(n-1) ports and n(n-1)/2 cables, a switch n of each")
	switch {
	case x.From > 0:
		l.Text(terminal.Normal, 0,
			fmt.Sprintf("%s at %s is the cheaper way from %d hosts on.", x.Switch.Name, x.Switch.Price.Money, x.From))
	case x.Switch != nil:
		l.Text(terminal.Normal, 0,
			fmt.Sprintf("The cheapest switch with a price in that currency is %s at %s: the mesh costs less up to %d hosts.",
				x.Switch.Name, x.Switch.Price.Money, x.Rows[len(x.Rows)-1].Hosts))
	case len(x.Others) > 0:
		var all []string
		for _, p := range x.Others[:min(len(x.Others), 5)] {
			all = append(all, p.Name+" "+p.Price.Money.String())
		}
		why := unit.If(!slices.ContainsFunc(x.Rows, func(r suggest.CrossingRow) bool { return r.Below != nil }),
			"the prices of NICs or cables are not", "currencies are not converted")
		l.Text(terminal.Normal, 0,
			"Whether a switch costs less is not known, because "+why+". Those that would do: "+strings.Join(all, ", ")+".")
	default:
		l.Text(terminal.Normal, 0,
			"Whether a switch of the catalogue costs less is not known: none that would do has a price.")
	}
	if x.Ends > 0 {
		l.Text(terminal.Normal, 0, fmt.Sprintf("From %d hosts on only a switch is possible: %s.", x.Ends, x.EndsWhy))
	}
}

func countCost(c suggest.Count) string {
	if c.Cost == nil {
		return format.NotKnown
	}
	if c.Estimated {
		return about(*c.Cost)
	}
	return c.Cost.String()
}
