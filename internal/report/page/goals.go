package page

import (
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/format"
)

// goalGroup is a part of the strip at the top of the page: the goals of one state, each with its line.
type goalGroup struct {
	Class, Title string // Title: "1 goal missed"
	Count        int
	Goals        []goalLine
	More         int // goals of this state that only the table has
}

type goalLine struct{ Name, Text string }

// mostInStrip is the number of goals of one state in the strip, so that the answer stays on the first screen.
const mostInStrip = 5

// goalStrip returns the three parts of the strip, also those without a goal; none where the run has no goals.
func goalStrip(goals []record.Goal) []goalGroup {
	if len(goals) == 0 {
		return nil
	}
	return xslices.Map([]string{"met", "missed", report.NotTested}, func(word string) goalGroup {
		all := xslices.Filter(goals, func(g record.Goal) bool { return report.GoalWord(g) == word })
		shown := all[:min(len(all), mostInStrip)]
		return goalGroup{Class: goalClass(word), Title: unit.Counted(len(all), "goal") + " " + word, Count: len(all),
			More: len(all) - len(shown), Goals: xslices.Map(shown, func(g record.Goal) goalLine {
				text := format.Shorten(format.Unbroken(format.Arrows(report.GoalText(g))), mostGoalText)
				return goalLine{Name: format.Clean(g.Name), Text: text}
			})}
	})
}

// mostGoalText is the number of characters of a goal's line in the strip.
const mostGoalText = 100

func goalClass(word string) string { return strings.ReplaceAll(word, " ", "-") }

type goalView struct {
	Class, Word, Name, Want, Have, Why string
	Span                               int // rows with its reason; 0: it shares that of a row above
}

// goalViews returns the table of all goals.
func goalViews(goals []record.Goal) []goalView {
	var out []goalView
	for _, g := range goals {
		w := report.GoalWord(g)
		out = append(out, goalView{Class: goalClass(w), Word: w, Name: format.Clean(g.Name), Want: format.Clean(g.Want),
			Have: format.Clean(g.Have), Why: format.Arrows(format.Clean(g.Why))})
	}
	for i, first := 0, 0; i < len(out); i++ {
		if out[i].Why == "" || out[i].Why != out[first].Why {
			first = i
		}
		out[first].Span++
	}
	return out
}
