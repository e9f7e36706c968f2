package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/record"
)

// Side is one of two compared summaries, with its name: run kxzp, or a file.
type Side struct {
	Label   string
	Summary *Summary
}

// Compared is the comparison of two summaries: facts that differ, ratios of equal rows, and notes.
type Compared struct {
	Facts       []string
	Comparisons []record.Comparison // without intervals: a summary has one figure for each row
	Notes       []string
}

// comparedOf returns the compared figures of a row, by the metric's name, with their headers.
func comparedOf(r *Row) [][2]string {
	if strings.HasPrefix(r.Key, "read-") || strings.HasPrefix(r.Key, "write-") {
		return [][2]string{{"bytes_per_second", "MB/s"}, {"latency.mean", "mean us"}}
	}
	if s, _ := specOf(r.Key); s.kind == pingRow || s.kind == delayRow {
		return [][2]string{{"latency.p50", "p50"}, {"latency.p99", "p99"}, {"latency.p999", "p99.9"}}
	}
	return [][2]string{{"goodput", "goodput"}}
}

// asPrinted rounds a summary to its printed digits, so that a run equals its posted summary.
func asPrinted(c *Summary) *Summary {
	if out, problems := Parse(c.Text()); len(problems) == 0 {
		return out
	}
	return c // it was pasted, and something is missing
}

// Compare compares two summaries with the digits that they print. If other has the same two hosts in reverse order, it
// is turned first.
func Compare(base, other Side) (out Compared) {
	base.Summary, other.Summary = asPrinted(base.Summary), asPrinted(other.Summary)
	if a, b := base.Summary.Ends, other.Summary.Ends; len(a) == 2 && len(b) == 2 && a[0].Host == b[1].Host &&
		a[1].Host == b[0].Host && a[0].Host != a[1].Host {
		other.Summary = other.Summary.turned()
		out.Notes = append(out.Notes, fmt.Sprintf("%s has the two hosts the other way round; its A is B here", other.Label))
	}
	out.Facts = facts(base.Summary, other.Summary)
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
	rows(base.Summary.Rows, other.Summary.Rows, "")
	a, b := base.Summary.Storage, other.Summary.Storage
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
		for _, n := range side.Summary.Notes {
			label, both := side.Label, slices.Contains(base.Summary.Notes, n) && slices.Contains(other.Summary.Notes, n)
			if both && i == 1 {
				continue
			}
			if both {
				label = "both"
			}
			out.Notes = append(out.Notes, label+": "+plainText(n, longText))
		}
	}
	if a, b := base.Summary.Lab, other.Summary.Lab; (a == "") != (b == "") {
		out.Notes = append(out.Notes,
			"one was measured in a lab on one machine, the other was not; their figures have nothing in common")
	}
	if len(out.Comparisons) > 0 {
		out.Notes = append(out.Notes,
			"ratios of summaries have no interval: a summary has one figure a row, so a small difference may be chance; "+
				"run folders have all repeats")
	}
	return out
}

// row compares the figures of one row.
func row(base, other Side, a, b *Row, suffix string) (out []record.Comparison) {
	emulated := ""
	switch x, y := base.Summary.Emulated(), other.Summary.Emulated(); {
	case x && y:
		emulated = "both"
	case x:
		emulated = "base"
	case y:
		emulated = "other"
	}
	for _, f := range comparedOf(a) {
		metric, of := f[0], figureNamed(f[1]).of
		x, y := *of(a), *of(b)
		if !known(x, mostRate) || !known(y, mostRate) {
			continue
		}
		c := record.Comparison{Experiment: Label(a.Key) + suffix, Metric: metric, Emulated: emulated,
			Base:  record.ComparisonSide{Label: base.Label, ID: a.Key, Median: *x, Repeats: 1},
			Other: record.ComparisonSide{Label: other.Label, ID: b.Key, Median: *y, Repeats: 1}}
		switch a, b := base.Summary.Lab, other.Summary.Lab; {
		case emulated == "base" || emulated == "other":
			c.Why = "no ratio: one side is of emulated machines"
		case (a == "") != (b == ""):
			c.Why = "no ratio: one is of a lab on one machine, the other is not"
		case scaleOf(a) != scaleOf(b) && !strings.HasPrefix(metric, "latency."):
			c.Why = "no ratio: the rates of the two labs are of two scales"
		case *x > 0:
			c.Ratio = new(*y / *x)
		default:
			c.Why = "no ratio: the first side is 0"
		}
		out = append(out, c)
	}
	return out
}

// facts returns the differences of the machines and the link, as the summaries print them.
func facts(a, b *Summary) (out []string) {
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
		differ("CPU of "+end, x.CPU, y.CPU, longName)
		differ("NIC of "+end, x.NIC, y.NIC, longName)
		differ("slot of "+end, x.Slot, y.Slot, longName)
	}
	differ("link", a.Link, b.Link, longText)
	lab := func(c *Summary) string {
		return cmp.Or(c.Lab, "none")
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
			differ("time of a row", s.Interval, x.Interval, 20)
		}
	}
	differ("variant", a.Variant, b.Variant, longName)
	differ("linerate", a.Program, b.Program, 24)
	return out
}

// turned returns the summary with A and B exchanged.
func (c *Summary) turned() *Summary {
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

// counterparts returns, for each storage of one summary, the index of its counterpart in the other; -1: there is none.
// Each is used once: first one with the same name, protocol and client, then the only remaining one with the name, then
// the one at the same index, if no other has its name.
func counterparts(a, b []Storage) []int {
	out, taken := make([]int, len(a)), make([]bool, len(b))
	for i := range out {
		out[i] = -1
	}
	take := func(i, k int) { out[i], taken[k] = k, true }
	name := func(s Storage) string { return plainText(s.Name, longName) }
	whole := func(s Storage) string {
		return strings.Join([]string{name(s), plainText(s.Over, longName), s.AskedBy}, "\x00")
	}
	for i := range a {
		for k := range b {
			if out[i] < 0 && !taken[k] && whole(a[i]) == whole(b[k]) {
				take(i, k)
			}
		}
	}
	left := func(all []Storage, free func(int) bool, of string) (found []int) {
		for i := range all {
			if free(i) && name(all[i]) == of {
				found = append(found, i)
			}
		}
		return found
	}
	freeA, freeB := func(i int) bool { return out[i] < 0 }, func(k int) bool { return !taken[k] }
	for i := range a {
		if !freeA(i) {
			continue
		}
		if mine, theirs := left(a, freeA, name(a[i])), left(b, freeB, name(a[i])); len(mine) == 1 && len(theirs) == 1 {
			take(i, theirs[0])
		}
	}
	named := func(all []Storage, of string) bool {
		return slices.ContainsFunc(all, func(s Storage) bool { return name(s) == of })
	}
	for i := range a {
		if freeA(i) && i < len(b) && freeB(i) && !named(b, name(a[i])) && !named(a, name(b[i])) {
			take(i, i)
		}
	}
	return out
}

// storageSuffix distinguishes the rows of one storage of a summary from those of its others.
func storageSuffix(all []Storage, i int) string {
	if len(all) < 2 {
		return ""
	}
	same := func(other Storage) bool { return plainText(other.Name, longName) == plainText(all[i].Name, longName) }
	text := " of " + plainText(all[i].Name, longName)
	for k, other := range all {
		switch {
		case k == i || !same(other):
		case other.Over != all[i].Over && !strings.Contains(text, " over "):
			text += " over " + plainText(all[i].Over, longName)
		case other.AskedBy != all[i].AskedBy && !strings.Contains(text, " asked by "):
			text += " asked by " + plainText(all[i].AskedBy, 1)
		}
	}
	return text
}

// scaleOf returns the scale of a lab's rates in a summary. It is empty where the rates are as planned, and where there
// is no lab.
func scaleOf(lab string) string {
	_, scale, _ := strings.Cut(lab, ratesAt)
	scale, _, _ = strings.Cut(scale, ";")
	return strings.TrimSpace(scale)
}
