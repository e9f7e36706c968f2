package goals

import (
	"fmt"
	"strings"

	"linerate/internal/record"
)

// mostApps is the largest number of experiments that the sentence of a run names with their figures.
const mostApps = 3

// AppFigures returns the sentence about applications: the figures of each, from the lowest to the highest over the
// values of its parameters; empty: there are none.
func AppFigures(r *record.Run) string {
	var names []string
	low, high := map[string]*record.Experiment{}, map[string]*record.Experiment{}
	for _, e := range r.Experiments {
		if e.Figure == nil || e.Failed != "" {
			continue
		}
		name := e.Name + " on " + e.Path()
		if low[name] == nil {
			names = append(names, name)
			low[name], high[name] = e, e
		}
		if e.Figure.Median < low[name].Figure.Median {
			low[name] = e
		}
		if e.Figure.Median > high[name].Figure.Median {
			high[name] = e
		}
	}
	var said []string
	for _, name := range names[:min(len(names), mostApps)] {
		a, b := low[name], high[name]
		text := name + ": " + a.FigureText(a.Figure.Median)
		if a != b {
			text += " to " + b.FigureText(b.Figure.Median)
		}
		said = append(said, text)
	}
	if n := len(names) - mostApps; n > 0 {
		said = append(said, fmt.Sprintf("and %d more", n))
	}
	if len(said) == 0 {
		return ""
	}
	return strings.Join(said, "; ") + "."
}
