package compare

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/terminal"
)

// sharedReasons are the reasons that several rows of a table have in common. They are printed once, below it.
type sharedReasons struct {
	order []string
	rows  map[string]int
}

// sharedBy collects the reasons of rows without a ratio.
func sharedBy(all []record.Comparison) sharedReasons {
	s := sharedReasons{rows: map[string]int{}}
	for _, c := range all {
		if c.Ratio != nil || c.Why == "" {
			continue
		}
		if s.rows[c.Why]++; s.rows[c.Why] == 1 {
			s.order = append(s.order, c.Why)
		}
	}
	s.order = slices.DeleteFunc(s.order, func(why string) bool { return s.rows[why] < 2 })
	return s
}

// ratio returns the last two columns of a row: its ratio, and the interval or the reason why it has none. A shared
// reason is left to the line below the table; of several, a number leads to it.
func (s sharedReasons) ratio(c record.Comparison, words string) (ratio, interval string) {
	ratio = ratioText(c)
	if c.Ratio != nil || s.rows[c.Why] < 2 {
		return ratio, words
	}
	for i, why := range s.order {
		if why == c.Why && len(s.order) > 1 {
			ratio += fmt.Sprintf(" (%d)", i+1)
		}
	}
	return ratio, ""
}

// print writes each shared reason with the number of its rows.
func (s sharedReasons) print(l *terminal.Lines) {
	if len(s.order) > 0 {
		l.Gap()
	}
	for i, why := range s.order {
		label := unit.If(len(s.order) > 1, fmt.Sprintf("none (%d)", i+1), "none")
		l.Item(0, len(label), label, terminal.Normal, fmt.Sprintf("%s have no ratio: %s",
			unit.Counted(s.rows[why], "row"), strings.TrimPrefix(format.Clean(why), "no ratio: ")))
	}
}
