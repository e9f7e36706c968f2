package report

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
	"linerate/internal/report/terminal"
)

// FormText describes a measurement that was not simply timed and from memory: "10 GiB in 8.61 s", the pace and who kept
// it, the file and its source. It is empty for others. Without pace it omits the pace, which a sentence for all
// combinations has.
func FormText(e *record.Experiment, pace bool) string {
	var out []string
	if s := e.Seconds; s != nil {
		amount := cmp.Or(e.InEffect["amount"], e.Settings["amount"])
		text := format.Clean(amount) + " in " + unit.Seconds(s.Median)
		if s.Repeats > 1 {
			text += " (" + unit.Seconds(s.Low) + " .. " + unit.Seconds(s.High) + ")"
		}
		out = append(out, text)
	}
	if v := e.Settings["pace"]; v != "" && pace {
		out = append(out, "each stream paced to "+format.Clean(v)+paceHow(e))
	}
	if source := e.InEffect["source"]; source != "" {
		text := "sent from " + format.Clean(source)
		if from := e.InEffect["source_from"]; from != "" {
			text += ", " + format.Clean(from)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// paceHow names who kept a pace, and how.
func paceHow(e *record.Experiment) string {
	text := ""
	if by := e.InEffect["pace_by"]; by != "" {
		text += " by the " + format.Clean(by)
	}
	if spread := e.InEffect["pace_spread"]; spread != "" {
		text += ", spread by " + format.Clean(spread)
	}
	if why := e.InEffect["pace_why"]; why != "" {
		text += " (" + format.Clean(why) + ")"
	}
	return text
}

// printPaced prints one sentence on a parameter of paces, for all paths and combinations that were paced in one way,
// and reports whether there is one.
func printPaced(l *terminal.Lines, rows []result.Row) bool {
	type way struct{ paths, paces []string }
	ways := map[string]*way{}
	var order []string
	distinct := map[string]bool{}
	for _, w := range rows {
		for _, c := range w.Combinations {
			pace := c.E.Settings["pace"]
			if pace == "" {
				continue
			}
			distinct[pace] = true
			how := paceHow(c.E)
			if ways[how] == nil {
				ways[how], order = &way{}, append(order, how)
			}
			if of := ways[how]; !slices.Contains(of.paths, w.Path()) {
				of.paths = append(of.paths, w.Path())
			}
			if of := ways[how]; !slices.Contains(of.paces, pace) {
				of.paces = append(of.paces, pace)
			}
		}
	}
	if len(distinct) < 2 {
		return false
	}
	for _, how := range order {
		of := ways[how]
		sort.SliceStable(of.paces, func(a, b int) bool { return result.Place(of.paces[a]) < result.Place(of.paces[b]) })
		for i, p := range of.paces {
			of.paces[i] = result.ValueOf("pace", p)
		}
		paces := unit.List(of.paces)
		if n := len(of.paces); n > result.MostValues {
			paces = fmt.Sprintf("one of %d paces from %s to %s", n, of.paces[0], of.paces[n-1])
		}
		paths := unit.List(of.paths)
		if len(of.paths) > 3 {
			paths = unit.Counted(len(of.paths), "path")
		}
		l.Text(terminal.Normal, 2, paths+": each stream paced to "+paces+how)
	}
	return true
}

// printForms prints a line under the table for every path with something to print, or for each of its combinations
// where they differ.
func printForms(l *terminal.Lines, rows []result.Row) {
	paced := printPaced(l, rows)
	text := func(e *record.Experiment) string { return FormText(e, !paced) }
	for _, w := range rows {
		texts := xslices.SetOf(w.Combinations, func(c result.Combination) string { return text(c.E) })
		for _, c := range w.Combinations {
			s := text(c.E)
			if s == "" || !texts[s] {
				continue
			}
			name := w.Path()
			if label := c.Label(); label != "" && len(w.Combinations) > 1 && len(texts) > 1 {
				name += " (" + label + ")"
			}
			l.Text(terminal.Normal, 2, name+": "+s)
			texts[s] = false // once
		}
	}
}
