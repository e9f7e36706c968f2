package design

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/terminal"
)

// shownPaths is the number of differing paths that are printed.
const shownPaths = 20

// PrintPlanCompare prints one design compared with another.
func PrintPlanCompare(t terminal.Terminal, c plan.Comparison) error {
	l := t.Lines()
	a, b := designTitle(c.A), designTitle(c.B)
	if a == b {
		a, b = a+" (A)", b+" (B)"
	}
	l.Text(terminal.Bold, 0, a+" against "+b)
	l.Gap()
	var table [][]terminal.Entry
	row := func(what, x, y string) {
		mark := unit.If(x != y, "*", "")
		table = append(table, terminal.Row(what, x, y, mark))
	}
	number := func(what string, x, y int) { row(what, strconv.Itoa(x), strconv.Itoa(y)) }
	number("hosts", c.A.Hosts, c.B.Hosts)
	number("switches", c.A.Switches, c.B.Switches)
	number("links", c.A.Links, c.B.Links)
	row("rates of links", rates(c.A), rates(c.B))
	number("NICs", c.A.NICs, c.B.NICs)
	number("ports of NICs", c.A.Ports, c.B.Ports)
	number("ports of switches", c.A.SwitchPorts, c.B.SwitchPorts)
	number("cables", c.A.Cables, c.B.Cables)
	row("length of cables", lengths(c.A), lengths(c.B))
	for _, cost := range c.Costs {
		row("cost in "+format.Clean(cost.Currency), moneyOrNone(cost.A), moneyOrNone(cost.B))
		if spares(cost.SparesA) || spares(cost.SparesB) {
			row("of it spares", sparesText(cost.SparesA), sparesText(cost.SparesB))
		}
	}
	number("without a known price", c.A.Unpriced, c.B.Unpriced)
	row("known draw", powerText(c.A.Power), powerText(c.B.Power))
	number("parts of unknown draw", c.A.Power.Missing, c.B.Power.Missing)
	number("problems", c.A.Problems, c.B.Problems)
	l.Table([]terminal.Column{{Head: ""}, {Head: a, Right: true}, {Head: b, Right: true}, {Head: ""}}, table)
	l.Text(terminal.Faint, 0, "* differs. Currencies are not converted; what is not known is in no sum.")
	printOnly(l, "only in "+a, c.OnlyA)
	printOnly(l, "only in "+b, c.OnlyB)
	printItemsThatDiffer(l, c, a, b)
	printPathsThatDiffer(l, c, a, b)
	printProblemsOf(l, "problems only in "+a, c.ProblemsA)
	printProblemsOf(l, "problems only in "+b, c.ProblemsB)
	return l.Flush()
}

func designTitle(s plan.Summary) string {
	if s.Variant != "" {
		return format.Clean(s.Name) + " [" + format.Clean(s.Variant) + "]"
	}
	return format.Clean(s.Name)
}

func rates(s plan.Summary) string {
	all := xslices.Map(s.Rates, func(r plan.RateCount) string { return fmt.Sprintf("%d x %s", r.Links, linkRate(r.Rate)) })
	if all == nil {
		return "none"
	}
	return strings.Join(all, ", ")
}

func lengths(s plan.Summary) string {
	var all []string
	if s.Metres > 0 {
		all = append(all, metres(s.Metres))
	}
	if s.NoLength > 0 {
		all = append(all, fmt.Sprintf("%d not known", s.NoLength))
	}
	if all == nil {
		return "none"
	}
	return strings.Join(all, " + ")
}

func moneyOrNone(m *unit.Money) string {
	if m == nil {
		return "none known"
	}
	return m.String()
}

func spares(m *unit.Money) bool { return m != nil && m.Amount() > 0 }

func sparesText(m *unit.Money) string {
	if !spares(m) {
		return "none"
	}
	return m.String()
}

func powerText(w plan.Power) string {
	if w.Known == 0 {
		return format.NotKnown
	}
	return w.String()
}

func printOnly(l *terminal.Lines, head string, names []string) {
	if len(names) > 0 {
		l.Item(0, 0, "", terminal.Normal, head+": "+strings.Join(names, ", "))
	}
}

func printItemsThatDiffer(l *terminal.Lines, c plan.Comparison, a, b string) {
	if len(c.Items) == 0 {
		return
	}
	l.Heading("parts that differ")
	var table [][]terminal.Entry
	for _, i := range c.Items {
		table = append(table, terminal.Row(strconv.Itoa(i.A), strconv.Itoa(i.B), format.Clean(i.Role), format.Clean(i.Part)))
	}
	l.Table([]terminal.Column{{Head: a, Right: true}, {Head: b, Right: true}, {Head: "role"}, {Head: "part", Wrap: true}},
		table)
}

func printPathsThatDiffer(l *terminal.Lines, c plan.Comparison, a, b string) {
	var table [][]terminal.Entry
	same, more := 0, 0
	for _, p := range c.Paths {
		switch {
		case !p.Differs():
			same++
		case len(table) == shownPaths:
			more++
		default:
			table = append(table, terminal.Row(format.Clean(p.From)+" to "+format.Clean(p.To), pathText(p.A, p.HopsA, p.CountA),
				pathText(p.B, p.HopsB, p.CountB), change(p)))
		}
	}
	if len(c.Paths) == 0 {
		return
	}
	l.Heading("paths")
	if table != nil {
		l.Table([]terminal.Column{{Head: "between"}, {Head: a, Right: true}, {Head: b, Right: true},
			{Head: "", Wrap: true}}, table)
	}
	switch {
	case more > 0:
		l.Text(terminal.Faint, 0, fmt.Sprintf("%d more differ, %d are the same; --json has all", more, same))
	case same > 0:
		l.Text(terminal.Faint, 0, fmt.Sprintf("%s the same", isAre(same)))
	}
}

func isAre(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}

func pathText(rate unit.BitRate, hops, paths int) string {
	if hops == 0 {
		return "none"
	}
	text := linkRate(rate)
	if hops > 1 {
		text += fmt.Sprintf(" over %d links", hops)
	}
	if paths > 1 {
		text = fmt.Sprintf("%d paths, %s", paths, text)
	}
	return text
}

func change(p plan.PathDifference) string {
	if p.A > 0 && p.B > 0 && p.A != p.B {
		return "x " + unit.Significant(float64(p.B/p.A))
	}
	return ""
}

func printProblemsOf(l *terminal.Lines, head string, problems []record.Problem) {
	if len(problems) == 0 {
		return
	}
	l.Heading(head)
	for _, p := range problems {
		s := unit.If(p.Severity == record.Error, terminal.Accent, terminal.Normal)
		l.Item(2, 8, string(p.Severity), s, format.ProblemText(p)+" ("+format.Clean(p.ID)+")")
	}
}

// PlanCompareSchema is the schema of a comparison of designs.
const PlanCompareSchema = "linerate/plan-compare/1"

type planCompareJSON struct {
	Schema    string                `json:"schema"`
	A         summaryJSON           `json:"a"`
	B         summaryJSON           `json:"b"`
	Costs     []costDifferenceJSON  `json:"costs"`
	OnlyA     []string              `json:"only_a"`
	OnlyB     []string              `json:"only_b"`
	Items     []plan.ItemDifference `json:"items"`
	Paths     []pathDifferenceJSON  `json:"paths"`
	ProblemsA []record.Problem      `json:"problems_only_a"`
	ProblemsB []record.Problem      `json:"problems_only_b"`
}

type summaryJSON struct {
	Name        string     `json:"name"`
	Variant     string     `json:"variant,omitempty"`
	Hosts       int        `json:"hosts"`
	Switches    int        `json:"switches"`
	Links       int        `json:"links"`
	NICs        int        `json:"nics"`
	Ports       int        `json:"ports"`
	SwitchPorts int        `json:"switch_ports"`
	Cables      int        `json:"cables"`
	Metres      float64    `json:"cables_m"`
	NoLength    int        `json:"cables_m_unknown"`
	Rates       []rateJSON `json:"rates"`
	Unpriced    int        `json:"unpriced"`
	WattsLow    *float64   `json:"watts_low"`
	WattsHigh   *float64   `json:"watts_high"`
	NoWatts     int        `json:"watts_unknown"`
	Problems    int        `json:"problems"`
}

type rateJSON struct {
	Rate  *float64 `json:"bits_per_second"`
	Links int      `json:"links"`
}

type costDifferenceJSON struct {
	Currency string      `json:"currency"`
	A        *unit.Money `json:"a"`
	B        *unit.Money `json:"b"`
	SparesA  *unit.Money `json:"a_spares"`
	SparesB  *unit.Money `json:"b_spares"`
}

type pathDifferenceJSON struct {
	From    string   `json:"from"`
	To      string   `json:"to"`
	A       *float64 `json:"a_bits_per_second"`
	B       *float64 `json:"b_bits_per_second"`
	LinksA  int      `json:"a_links"`
	LinksB  int      `json:"b_links"`
	PathsA  int      `json:"a_paths"`
	PathsB  int      `json:"b_paths"`
	Differs bool     `json:"differs"`
}

// CompareJSON writes a comparison as one object in base units.
func CompareJSON(w io.Writer, c plan.Comparison) error {
	v := planCompareJSON{Schema: PlanCompareSchema, A: summaryOf(c.A), B: summaryOf(c.B),
		Costs: []costDifferenceJSON{}, OnlyA: listOf(c.OnlyA), OnlyB: listOf(c.OnlyB),
		Items: append([]plan.ItemDifference{}, c.Items...), Paths: []pathDifferenceJSON{},
		ProblemsA: append([]record.Problem{}, c.ProblemsA...), ProblemsB: append([]record.Problem{}, c.ProblemsB...)}
	for _, x := range c.Costs {
		v.Costs = append(v.Costs, costDifferenceJSON(x))
	}
	for _, p := range c.Paths {
		v.Paths = append(v.Paths,
			pathDifferenceJSON{p.From, p.To, known(p.A), known(p.B), p.HopsA, p.HopsB, p.CountA, p.CountB, p.Differs()})
	}
	return format.Write(w, "plan-compare", v)
}

func summaryOf(s plan.Summary) summaryJSON {
	v := summaryJSON{Name: s.Name, Variant: s.Variant, Hosts: s.Hosts, Switches: s.Switches, Links: s.Links,
		NICs: s.NICs, Ports: s.Ports, SwitchPorts: s.SwitchPorts, Cables: s.Cables, Metres: s.Metres, NoLength: s.NoLength,
		Rates: []rateJSON{}, Unpriced: s.Unpriced, NoWatts: s.Power.Missing, Problems: s.Problems}
	for _, r := range s.Rates {
		v.Rates = append(v.Rates, rateJSON{known(r.Rate), r.Links})
	}
	if s.Power.Known > 0 {
		v.WattsLow, v.WattsHigh = &s.Power.Low, &s.Power.High
	}
	return v
}

// known is a rate, or null where it is 0: not known.
func known(r unit.BitRate) *float64 {
	if r == 0 {
		return nil
	}
	f := float64(r)
	return &f
}
