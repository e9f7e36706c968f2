package explain

import (
	"fmt"
	"strings"

	"linerate/internal/record"
)

// mostApps is how many experiments the answer of a run names with their figures.
const mostApps = 3

// appFigures is the answer of applications: what each printed, from the least to the most over the values of its axes; empty: there are none.
func appFigures(r *record.Run) string {
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
