package report

import (
	"strings"

	"linerate/result"
	"linerate/unit"
)

// formText is what a cell was measured with beside a time and memory: "10 GiB in 8.61 s", the pace and who kept it, the file
// and where it came from. Empty for what has none of it.
func formText(e *result.Experiment) string {
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
	if pace := e.Settings["pace"]; pace != "" {
		text := "each stream paced to " + clean(pace)
		if by := e.InEffect["pace_by"]; by != "" {
			text += " by the " + clean(by)
		}
		if spread := e.InEffect["pace_spread"]; spread != "" {
			text += ", spread by " + clean(spread)
		}
		if why := e.InEffect["pace_why"]; why != "" {
			text += " (" + clean(why) + ")"
		}
		out = append(out, text)
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

// forms prints a line under the table for every path of which there is something to say, or for each of its cells where they differ.
func (l *lines) forms(rows []row) {
	for _, w := range rows {
		texts := map[string]bool{}
		for _, c := range w.Cells {
			texts[formText(c.E)] = true
		}
		for _, c := range w.Cells {
			s := formText(c.E)
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
