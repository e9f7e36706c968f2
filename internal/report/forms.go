package report

import (
	"fmt"
	"sort"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// formText is what a cell was measured with beside a time and memory: "10 GiB in 8.61 s", the pace and who kept it, the file
// and where it came from. Empty for what has none of it. Without pace nothing is said of
// that, where a sentence for all cells says it.
func formText(e *record.Experiment, pace bool) string {
	var out []string
	if s := e.Seconds; s != nil {
		amount := e.InEffect["amount"]
		if amount == "" {
			amount = e.Settings["amount"]
		}
		text := clean(amount) + " in " + unit.Seconds(s.Median)
		if s.Repeats > 1 {
			text += " (" + unit.Seconds(s.Low) + " .. " + unit.Seconds(s.High) + ")"
		}
		out = append(out, text)
	}
	if v := e.Settings["pace"]; v != "" && pace {
		out = append(out, "each stream paced to "+clean(v)+paceHow(e))
	}
	if source := e.InEffect["source"]; source != "" {
		text := "sent from " + clean(source)
		if from := e.InEffect["source_from"]; from != "" {
			text += ", " + clean(from)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// paceHow says who kept a pace, and how.
func paceHow(e *record.Experiment) string {
	text := ""
	if by := e.InEffect["pace_by"]; by != "" {
		text += " by the " + clean(by)
	}
	if spread := e.InEffect["pace_spread"]; spread != "" {
		text += ", spread by " + clean(spread)
	}
	if why := e.InEffect["pace_why"]; why != "" {
		text += " (" + clean(why) + ")"
	}
	return text
}

// paced prints one sentence of an axis of paces, for all paths and cells that were paced in one way, and says that there is one.
func (l *lines) paced(rows []row) bool {
	type way struct{ paths, paces []string }
	ways := map[string]*way{}
	var order []string
	distinct := map[string]bool{}
	for _, w := range rows {
		for _, c := range w.Cells {
			pace := c.E.Settings["pace"]
			if pace == "" {
				continue
			}
			distinct[pace] = true
			how := paceHow(c.E)
			if ways[how] == nil {
				ways[how], order = &way{}, append(order, how)
			}
			if of := ways[how]; !contains(of.paths, w.path()) {
				of.paths = append(of.paths, w.path())
			}
			if of := ways[how]; !contains(of.paces, pace) {
				of.paces = append(of.paces, pace)
			}
		}
	}
	if len(distinct) < 2 {
		return false
	}
	for _, how := range order {
		of := ways[how]
		sort.SliceStable(of.paces, func(a, b int) bool { return place(of.paces[a]) < place(of.paces[b]) })
		for i, p := range of.paces {
			of.paces[i] = valueOf("pace", p)
		}
		paces := list(of.paces)
		if n := len(of.paces); n > mostValues {
			paces = fmt.Sprintf("one of %d paces from %s to %s", n, of.paces[0], of.paces[n-1])
		}
		paths := list(of.paths)
		if len(of.paths) > 3 {
			paths = count(len(of.paths), "path")
		}
		l.text(normal, 2, paths+": each stream paced to "+paces+how)
	}
	return true
}

// forms prints a line under the table for every path of which there is something to say, or for each of its cells where they differ.
func (l *lines) forms(rows []row) {
	paced := l.paced(rows)
	text := func(e *record.Experiment) string { return formText(e, !paced) }
	for _, w := range rows {
		texts := map[string]bool{}
		for _, c := range w.Cells {
			texts[text(c.E)] = true
		}
		for _, c := range w.Cells {
			s := text(c.E)
			if s == "" || !texts[s] {
				continue
			}
			name := w.path()
			if label := c.label(); label != "" && len(w.Cells) > 1 && len(texts) > 1 {
				name += " (" + label + ")"
			}
			l.text(normal, 2, name+": "+s)
			texts[s] = false // once
		}
	}
}
