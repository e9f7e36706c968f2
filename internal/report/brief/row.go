package brief

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
	"linerate/internal/report/result"
	"linerate/internal/report/tables"
	"linerate/internal/report/terminal"
)

// row is the line of a cable.
func (b *brief) row(c cable, long look, values []string, same, varies bool) []terminal.Entry {
	entry := func(s string) terminal.Entry { return terminal.Entry{Text: s} }
	name := c.out.Path()
	if c.back != nil {
		name = strings.Replace(name, " -> ", " - ", 1)
	}
	if c.label != "" && long.label {
		name = c.label + "  " + strings.Replace(name, " via "+strings.Join(format.Cleaned(c.out.Links), ", "), "", 1)
	}
	line := []terminal.Entry{entry(name)}
	switch {
	case same:
		line = append(line, entry(c.out.Figure(values[0])), entry(c.back.Figure(values[0])))
	case varies:
		low, high := c.out.Extremes()
		line = append(line, entry(low), entry(high))
	case len(values) > 2:
		line = append(line, entry(c.out.Figure(values[0])), entry(c.out.Figure(values[len(values)-1])))
	default:
		for _, v := range values {
			line = append(line, entry(c.out.Figure(v)))
		}
	}
	worst := worstOf(c)
	rtt := ""
	if p := c.out.Ping; p != nil {
		rtt = format.Seconds(p.Latency.P50)
	}
	text := headline.LimiterOf(worst.E, false)
	if !long.full {
		text, _, _ = strings.Cut(text, ": link is full")
	}
	if v := worst.E.Verdict; !long.host && v != nil && strings.Contains(text, " of ") {
		text = headline.LimiterWords(v.Limiter)
	}
	style := unit.If(result.Healthy(worst.E.Verdict), terminal.Normal, terminal.Accent)
	return append(line, entry(tables.LossText(worst.E)), entry(shares(c)), entry(rtt),
		terminal.Entry{Text: text, Style: style})
}

// worstOf is the combination of a cable that is farthest below its ceiling, or one without a figure.
func worstOf(c cable) result.Combination {
	var worst *result.Combination
	least := 0.0
	for _, w := range rowsOf(c) {
		for i := range w.Combinations {
			x := &w.Combinations[i]
			of, known := x.Share()
			if x.E.Failed != "" {
				return *x
			}
			if worst == nil || known && (of < least || least == 0) {
				worst, least = x, of
			}
		}
	}
	return *worst
}

func rowsOf(c cable) []result.Row {
	if c.back == nil {
		return []result.Row{c.out}
	}
	return []result.Row{c.out, *c.back}
}

// shares is the share of the ceiling over the combinations of a cable: "100 %", "32 to 90 %".
func shares(c cable) string {
	low, high, n, figures := 0.0, 0.0, 0, 0
	for _, w := range rowsOf(c) {
		for _, x := range w.Combinations {
			if x.Goodput == nil {
				continue
			}
			figures++
			if of, known := x.Share(); known {
				if n == 0 || of < low {
					low = of
				}
				high, n = max(high, of), n+1
			}
		}
	}
	switch {
	case figures == 0:
		return ""
	case n == 0:
		return format.NotKnown
	}
	a, z := unit.Percent(low), unit.Percent(high)
	if a == z {
		return a
	}
	return strings.TrimSuffix(a, " %") + " to " + z
}

func compareShares(x, y cable) int {
	a, _ := worstOf(x).Share()
	z, _ := worstOf(y).Share()
	return cmp.Compare(a, z)
}

// below is the line under the table: the streams, the repeats, and what the ceiling is of, with its rate.
func (b *brief) below(all []cable, values []string, same, varies, rate bool) string {
	var parts []string
	if same && values[0] != "" {
		text := result.Streams(values[0])
		if len(values) > 1 {
			text += "; " + unit.List(xslices.Map(values[1:], result.Streams)) + ": the same"
		}
		parts = append(parts, text)
	}
	if varies {
		parts = append(parts, fmt.Sprintf("%d settings a link: --all", len(all[0].out.Combinations)))
	}
	if n := repeats(all); n > 1 {
		parts = append(parts, fmt.Sprintf("Medians of %d", n))
	}
	if text := b.ceiling(all); text != "" {
		if !rate {
			text, _, _ = strings.Cut(text, " = ")
		}
		parts = append(parts, "Ceiling: "+text)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ". ") + "."
}

// repeats is the number of repeats of every figure; 0: they differ.
func repeats(all []cable) int {
	n := -1
	for _, c := range all {
		for _, w := range rowsOf(c) {
			for _, x := range w.Combinations {
				if x.Goodput == nil {
					continue
				}
				if n >= 0 && n != x.Goodput.Repeats {
					return 0
				}
				n = x.Goodput.Repeats
			}
		}
	}
	return max(0, n)
}

// ceiling says what the ceilings are of where all links have the same: "10GbE, TCP, MTU 1500 = 9.41 Gb/s".
func (b *brief) ceiling(all []cable) string {
	var texts []string
	for _, c := range all {
		for _, w := range rowsOf(c) {
			for _, x := range w.Combinations {
				if x.E.Ceiling == nil || x.E.Ceiling.Planned() <= 0 {
					continue
				}
				var parts []string
				if name := b.ethernet(x.E); name != "" {
					if s := result.Scale(b.run.Lab); s != "" {
						name += " at " + strings.TrimSuffix(s, " scale")
					}
					parts = append(parts, name)
				}
				parts = append(parts, strings.ToUpper(cmp.Or(x.E.Transport(), "tcp")))
				if mtu := cmp.Or(x.E.InEffect["mtu"], x.E.Settings["mtu"]); mtu != "" {
					parts = append(parts, "MTU "+format.Clean(mtu))
				}
				texts = xslices.AppendNew(texts, strings.Join(parts, ", ")+" = "+x.E.Ceiling.Planned().String())
			}
		}
	}
	if len(texts) != 1 {
		return ""
	}
	return texts[0]
}

// ethernet is the kind of an experiment's link; empty: there are several, or its rate is not known.
func (b *brief) ethernet(e *record.Experiment) string {
	kind := ""
	for _, k := range b.run.Plan.Links {
		if !slices.Contains(e.Links, k.Name) || k.Rate <= 0 {
			continue
		}
		name := fmt.Sprintf("%gGbE", float64(k.Rate)/1e9)
		if k.IB {
			name = fmt.Sprintf("InfiniBand %s", k.Rate)
		}
		if kind != "" && kind != name {
			return ""
		}
		kind = name
	}
	return kind
}
