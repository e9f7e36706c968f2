package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/suggest"
)

// shownDesigns is how many designs a table has at least; the best of each
// technology, as mesh and with a switch, is always in it.
const shownDesigns = 8

// Suggestions prints the designs for a wish: all of them, or the best.
func (t Terminal) Suggestions(a *suggest.Answer, all bool) error {
	l := t.lines()
	l.text(bold, 0, "wished for: "+a.Wish.String())
	if len(a.Designs) == 0 {
		l.text(accent, 0, "No design out of the catalogue fulfils it.")
	} else {
		l.designs(a, all)
	}
	l.failing(a, all)
	l.crossing(a)
	return l.flush()
}

func (l *lines) designs(a *suggest.Answer, all bool) {
	var table [][]entry
	seen := map[string]bool{}
	left := 0
	for i, d := range a.Designs {
		kind := string(d.Technology) + d.Topology()
		if !all && i >= shownDesigns && seen[kind] {
			left++
			continue
		}
		seen[kind] = true
		table = append(table, []entry{{Text: strconv.Itoa(i + 1)}, {Text: designCost(d)}, {Text: designWatts(d)},
			{Text: linkRate(d.Rate)}, {Text: fmt.Sprintf("%d/%d", d.Ports, d.Cables)}, {Text: clean(string(d.Technology) + ": " + d.Name)}})
	}
	l.gap()
	if l.Width < 110 { // each design has a line of its own below its figures
		design := len(table[0]) - 1
		figures := slices.Clone(table)
		for i := range figures {
			figures[i] = table[i][:design]
		}
		l.figuresOf(figures, func(i int) string { return table[i][design].Text })
	} else {
		l.table(append(slices.Clone(figureColumns), column{Head: "design", Wrap: true}), table)
	}
	if left > 0 {
		l.text(faint, 0, fmt.Sprintf("%d more rank lower; --all shows them", left))
	}
	l.text(faint, 0, "ranked by parts without a known price, then known cost (currencies are not converted), then watts; +N: of so many parts it is not known. Passive copper counts as drawing nothing.")
}

// figureColumns are those before the design itself.
var figureColumns = []column{{Head: "#", Right: true}, {Head: "known cost", Right: true}, {Head: "watts", Right: true}, {Head: "links", Right: true}, {Head: "ports/cables", Right: true}}

// figuresOf prints rows of figures, each with a text below it.
func (l *lines) figuresOf(rows [][]entry, below func(i int) string) {
	widths := make([]int, len(figureColumns))
	heads := make([]string, len(figureColumns))
	for c, column := range figureColumns {
		widths[c] = width(column.Head)
		for _, r := range rows {
			widths[c] = max(widths[c], width(r[c].Text))
		}
		heads[c] = padLeft(column.Head, widths[c])
	}
	l.line(l.ink(faint, strings.Join(heads, "  ")+"  design below"))
	for i, r := range rows {
		cells := make([]string, len(r))
		for c := range r {
			cells[c] = padLeft(r[c].Text, widths[c])
		}
		l.line(l.ink(normal, strings.Join(cells, "  ")))
		l.text(normal, widths[0]+2, below(i))
	}
}

func designCost(d *suggest.Design) string {
	var all []string
	if d.Plan != nil {
		for _, t := range d.Plan.BOM.Totals {
			all = append(all, t.Amount.Number()+" "+clean(t.Currency))
		}
	}
	if d.Unpriced > 0 {
		all = append(all, strconv.Itoa(d.Unpriced)+" unknown")
	}
	return strings.Join(all, " + ")
}

func designWatts(d *suggest.Design) string {
	text := notKnown
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
		return notKnown
	}
	return strings.TrimSuffix(unit.Significant(float64(r)/1e9), ".0") + "G"
}

// Suggested prints one design of an answer: what it is made of, what its drivers
// can do, and what is not known of it.
func (t Terminal) Suggested(d *suggest.Design, number int) error {
	l := t.lines()
	l.gap()
	l.text(bold, 0, fmt.Sprintf("design %d: %s", number, d.Name))
	if d.Plan != nil {
		l.bom(&d.Plan.BOM)
	}
	l.gap()
	for _, h := range d.Hosts {
		l.item(0, 13, h.Name, normal, fmt.Sprintf("%s, %d x %s", h.System, h.Count, h.Card.Name))
	}
	for _, c := range d.Systems() {
		text := "no source names a driver of " + c.Card.Name
		if c.HasDriver {
			text = driverText(c)
		}
		l.item(0, 13, c.System.String(), normal, text)
	}
	for _, trap := range traps(d) {
		l.item(0, 13, "look out", accent, trap)
	}
	for _, u := range d.Unknown {
		l.item(0, 13, "unknown", normal, u)
	}
	for _, n := range d.Notes {
		l.item(0, 13, "note", normal, n)
	}
	return l.flush()
}

func driverText(c suggest.Can) string {
	driver := c.Driver.Driver
	if driver == "" {
		driver = "driver not known"
	}
	if c.Driver.Status != "" {
		driver += " (" + c.Driver.Status + ")"
	}
	sriov := c.Driver.SRIOV
	if has, ok := c.Card.SRIOV.Get(); ok && !has {
		sriov = c.Card.SRIOV
	}
	return fmt.Sprintf("%s: %s; %s; PFC %s; SR-IOV %s", c.Card.Name, driver, rdmaOn(c.Card, c.System.Drivers()), yesNo(c.Driver.PFC), yesNo(sriov))
}

// traps are those of the parts that a design has to buy.
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
		add(h.Card.Name, h.Card.Traps)
	}
	if d.Switch != nil {
		add(d.Switch.Name, d.Switch.Traps)
	}
	return all
}

// failing lists what does not fulfil the wish, those with the same reason together.
func (l *lines) failing(a *suggest.Answer, all bool) {
	if len(a.Failing) == 0 {
		return
	}
	var reasons []string
	by := map[string][]string{}
	for _, d := range a.Failing {
		why := clean(strings.Join(d.Fails, "; and "))
		if d.Switch != nil {
			why = strings.ReplaceAll(why, d.Switch.Name, "it")
		}
		if _, ok := by[why]; !ok {
			reasons = append(reasons, why)
		}
		by[why] = append(by[why], clean(d.Name))
	}
	l.gap()
	l.line(l.ink(bold, "does not fulfil the wish"))
	for _, why := range reasons {
		names := by[why]
		more := ""
		if n := len(names); !all && n > 6 {
			names, more = names[:6], fmt.Sprintf(" and %d more", n-6)
		}
		l.text(normal, 2, why+": "+strings.Join(names, "; ")+more)
	}
}

// crossing says where a switch becomes the better choice.
func (l *lines) crossing(a *suggest.Answer) {
	x := a.Crossing
	if x == nil {
		return
	}
	l.gap()
	l.text(bold, 0, "mesh or switch ("+x.Line+")")
	var table [][]entry
	for _, r := range x.Rows {
		below := "not known"
		if r.Mesh.Cost != nil && r.Star.Cost != nil {
			below = "the mesh, whatever a switch costs"
		}
		if r.Below != nil {
			below = "a switch below " + r.Below.String()
		}
		table = append(table, []entry{{Text: strconv.Itoa(r.Hosts)}, {Text: fmt.Sprintf("%d / %d", r.Mesh.Ports, r.Mesh.Cables)}, {Text: countCost(r.Mesh)},
			{Text: fmt.Sprintf("%d / %d", r.Star.Ports, r.Star.Cables)}, {Text: countCost(r.Star)}, {Text: below}})
	}
	l.table([]column{{Head: "hosts", Right: true}, {Head: "mesh: ports/cables", Right: true}, {Head: "cost", Right: true}, {Head: "switch: ports/cables", Right: true},
		{Head: "without it", Right: true}, {Head: "cheaper is", Wrap: true}}, table)
	l.text(faint, 0, "a mesh of n hosts takes n(n-1) ports and n(n-1)/2 cables, a switch n of each")
	switch {
	case x.From > 0:
		l.text(normal, 0, fmt.Sprintf("%s at %s is the cheaper way from %d hosts on.", x.Switch.Name, x.Switch.Price.Money, x.From))
	case x.Switch != nil:
		l.text(normal, 0, fmt.Sprintf("The cheapest switch with a price in that currency is %s at %s: the mesh costs less up to %d hosts.", x.Switch.Name, x.Switch.Price.Money, x.Rows[len(x.Rows)-1].Hosts))
	case len(x.Others) > 0:
		var all []string
		for _, p := range x.Others[:min(len(x.Others), 5)] {
			all = append(all, p.Name+" "+p.Price.Money.String())
		}
		why := "currencies are not converted"
		if !slices.ContainsFunc(x.Rows, func(r suggest.CrossingRow) bool { return r.Below != nil }) {
			why = "the prices of cards or cables are not"
		}
		l.text(normal, 0, "Whether a switch costs less is not known, because "+why+". Those that would do: "+strings.Join(all, ", ")+".")
	default:
		l.text(normal, 0, "Whether a switch of the catalogue costs less is not known: none that would do has a price.")
	}
	if x.Ends > 0 {
		l.text(normal, 0, fmt.Sprintf("From %d hosts on only a switch is possible: %s.", x.Ends, x.EndsWhy))
	}
}

func countCost(c suggest.Count) string {
	if c.Cost == nil {
		return notKnown
	}
	return c.Cost.String()
}
