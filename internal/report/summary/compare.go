package summary

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/record"
)

// Side is a card that is compared, with what it is called: run kxzp, or a file.
type Side struct {
	Label string
	Card  *Card
}

// Compared is what two cards have in common: facts that differ first, then ratios of rows that are the same, and what must be known of them.
type Compared struct {
	Facts       []string
	Comparisons []record.Comparison // without intervals: a card has one figure a row
	Notes       []string
}

// compared is a figure of a row that is compared.
type compared struct {
	metric string
	of     func(*Row) *float64
}

func comparedOf(r *Row) []compared {
	if strings.HasPrefix(r.Key, "read-") || strings.HasPrefix(r.Key, "write-") {
		return []compared{{"bytes_per_second", func(r *Row) *float64 { return r.BytesPerSecond }}, {"latency.mean", func(r *Row) *float64 { return r.Mean }}}
	}
	s, _ := specOf(r.Key)
	if s.kind == pingRow || s.kind == delayRow {
		return []compared{{"latency.p50", func(r *Row) *float64 { return r.P50 }}, {"latency.p99", func(r *Row) *float64 { return r.P99 }}, {"latency.p999", func(r *Row) *float64 { return r.P999 }}}
	}
	return []compared{{"goodput", func(r *Row) *float64 { return r.Goodput }}}
}

// asPrinted is a card with the digits that it prints, so that a run and the card that somebody posted of it are the same.
func asPrinted(c *Card) *Card {
	if out, problems := Parse(c.Text()); len(problems) == 0 {
		return out
	}
	return c // it was pasted, and lacks something
}

// Compare holds a card against another, both with the digits that they print. Where the other has the same two hosts the other way round it is turned first.
func Compare(base, other Side) (out Compared) {
	base.Card, other.Card = asPrinted(base.Card), asPrinted(other.Card)
	if a, b := base.Card.Ends, other.Card.Ends; len(a) == 2 && len(b) == 2 && a[0].Host == b[1].Host && a[1].Host == b[0].Host && a[0].Host != a[1].Host {
		other.Card = other.Card.turned()
		out.Notes = append(out.Notes, fmt.Sprintf("%s has the two hosts the other way round; its A is B here", other.Label))
	}
	out.Facts = facts(base.Card, other.Card)
	var only [2][]string
	rows := func(a, b []Row, suffix string) {
		for i := range a {
			at := slices.IndexFunc(b, func(r Row) bool { return r.Key == a[i].Key })
			switch {
			case at >= 0 && a[i].Measured && b[at].Measured:
				out.Comparisons = append(out.Comparisons, row(base, other, &a[i], &b[at], suffix)...)
			case a[i].Measured:
				only[0] = append(only[0], Label(a[i].Key)+suffix)
			}
		}
		for i := range b {
			at := slices.IndexFunc(a, func(r Row) bool { return r.Key == b[i].Key })
			if b[i].Measured && (at < 0 || !a[at].Measured) {
				only[1] = append(only[1], Label(b[i].Key)+suffix)
			}
		}
	}
	rows(base.Card.Rows, other.Card.Rows, "")
	a, b := base.Card.Storage, other.Card.Storage
	at := counterparts(a, b)
	for i, s := range a {
		if at[i] >= 0 {
			rows(s.Rows, b[at[i]].Rows, storageSuffix(a, i))
		} else {
			rows(s.Rows, nil, storageSuffix(a, i))
		}
	}
	for i, s := range b {
		if !slices.Contains(at, i) {
			rows(nil, s.Rows, storageSuffix(b, i))
		}
	}
	for i, side := range []Side{base, other} {
		if n := len(only[i]); n > 0 {
			list := only[i][:min(n, 6)]
			text := strings.Join(list, ", ")
			if n > len(list) {
				text += fmt.Sprintf(" and %d more", n-len(list))
			}
			out.Notes = append(out.Notes, "only "+side.Label+" has "+text)
		}
	}
	for i, side := range []Side{base, other} {
		for _, n := range side.Card.Notes {
			label, both := side.Label, slices.Contains(base.Card.Notes, n) && slices.Contains(other.Card.Notes, n)
			if both && i == 1 {
				continue
			}
			if both {
				label = "both"
			}
			out.Notes = append(out.Notes, label+": "+plainText(n, longText))
		}
	}
	if a, b := base.Card.Lab, other.Card.Lab; (a == "") != (b == "") {
		out.Notes = append(out.Notes, "one was measured in a lab on one machine, the other between real hosts; their figures have nothing in common")
	}
	if len(out.Comparisons) > 0 {
		out.Notes = append(out.Notes, "ratios of cards have no interval: a card has one figure a row, mostly of three digits, so that nobody can tell a difference from chance; run folders carry their repeats")
	}
	return out
}

// row compares the figures of one row.
func row(base, other Side, a, b *Row, suffix string) (out []record.Comparison) {
	emulated := ""
	switch x, y := base.Card.Emulated(), other.Card.Emulated(); {
	case x && y:
		emulated = "both"
	case x:
		emulated = "base"
	case y:
		emulated = "other"
	}
	for _, f := range comparedOf(a) {
		x, y := f.of(a), f.of(b)
		if !known(x, mostRate) || !known(y, mostRate) {
			continue
		}
		c := record.Comparison{Experiment: Label(a.Key) + suffix, Metric: f.metric, Emulated: emulated, Base: record.ComparisonSide{Label: base.Label, ID: a.Key, Median: *x, Repeats: 1},
			Other: record.ComparisonSide{Label: other.Label, ID: b.Key, Median: *y, Repeats: 1}}
		switch a, b := base.Card.Lab, other.Card.Lab; {
		case emulated == "base" || emulated == "other":
			c.Why = "no ratio: one side is of emulated machines"
		case (a == "") != (b == ""):
			c.Why = "no ratio: one is of a lab on one machine, the other of real hosts"
		case scaleOf(a) != scaleOf(b) && !strings.HasPrefix(f.metric, "latency."):
			c.Why = "no ratio: the rates of the two labs are of two scales"
		case *x > 0:
			c.Ratio = ptr(*y / *x)
		default:
			c.Why = "no ratio: the first side is 0"
		}
		out = append(out, c)
	}
	return out
}

// facts are what differs of the machines and the link, as the cards print them.
func facts(a, b *Card) (out []string) {
	differ := func(what, x, y string, most int) {
		x, y = orNotKnown(field(x, most)), orNotKnown(field(y, most))
		if x != y {
			out = append(out, what+": "+x+" -> "+y)
		}
	}
	for i := range max(len(a.Ends), len(b.Ends)) {
		var x, y End
		if i < len(a.Ends) {
			x = a.Ends[i]
		}
		if i < len(b.Ends) {
			y = b.Ends[i]
		}
		end := string(rune('A' + i))
		differ(end, x.Host, y.Host, longWord)
		differ("system of "+end, x.System, y.System, longName)
		differ("processor of "+end, x.Processor, y.Processor, longName)
		differ("card of "+end, x.Card, y.Card, longName)
		differ("slot of "+end, x.Slot, y.Slot, longName)
	}
	differ("link", a.Link, b.Link, longText)
	lab := func(c *Card) string {
		if c.Lab == "" {
			return "real hosts"
		}
		return c.Lab
	}
	differ("lab", lab(a), lab(b), longName)
	at := counterparts(a.Storage, b.Storage)
	for i, s := range a.Storage {
		if at[i] >= 0 {
			x := b.Storage[at[i]]
			differ("storage", s.Name, x.Name, longName)
			differ("storage over", s.Over, x.Over, longName)
			differ("storage asked by", s.AskedBy, x.AskedBy, 1)
			differ("span of the storage", s.Span, x.Span, 20)
			differ("time of a row", s.Window, x.Window, 20)
		}
	}
	differ("variant", a.Variant, b.Variant, longName)
	differ("linerate", a.Program, b.Program, 24)
	return out
}

// turned is the card with A and B exchanged.
func (c *Card) turned() *Card {
	out := *c
	out.Ends = []End{c.Ends[1], c.Ends[0]}
	out.Rows = nil
	exchange := strings.NewReplacer("-ab", "-ba", "-ba", "-ab")
	rows := func(all []Row) []Row {
		done := []Row{}
		for _, r := range all {
			r.CoresA, r.CoresB = r.CoresB, r.CoresA
			done = append(done, r)
		}
		return done
	}
	for _, r := range rows(c.Rows) {
		r.Key = exchange.Replace(r.Key)
		out.Rows = append(out.Rows, r)
	}
	slices.SortStableFunc(out.Rows, func(x, y Row) int {
		at := func(key string) int { return slices.IndexFunc(table, func(s spec) bool { return s.key == key }) }
		return at(x.Key) - at(y.Key)
	})
	out.Notes = nil
	ends := strings.NewReplacer("A -> B", "B -> A", "B -> A", "A -> B")
	for _, n := range c.Notes { // a note begins with the row that it is of
		row, rest, found := strings.Cut(n, ": ")
		if found {
			rest = ": " + rest
		}
		out.Notes = append(out.Notes, ends.Replace(row)+rest)
	}
	out.Storage = nil
	for _, s := range c.Storage {
		s.AskedBy = map[string]string{"A": "B", "B": "A"}[s.AskedBy]
		s.Rows = rows(s.Rows)
		out.Storage = append(out.Storage, s)
	}
	return &out
}
