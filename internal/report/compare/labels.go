package compare

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/report/chart"
	"linerate/internal/report/result"
	"linerate/internal/report/svg"
)

const (
	mostLines  = 3    // of a label below the x axis
	lineHeight = 15.0 // pixels
	between    = 8.0  // pixels between two labels
	// compareLeft is the left edge of the plot, in pixels.
	compareLeft = 84.0
)

// groupNames are the labels of the groups of a chart below its x axis. Each is whole, in up to three lines, or has a
// number in front of it, so that no two look alike.
type groupNames [][]svg.TextLine

// names returns the labels of the points of a panel.
func (p comparePanel) names() groupNames {
	room := (chart.SweepRight-compareLeft)/float64(max(1, len(p.points))) - between
	seen := map[string]bool{}
	var out groupNames
	for i, q := range p.points {
		lines := svg.Folded("tick", result.ValueOf(p.parameter, q.x), room)
		text := textOf(lines[:min(len(lines), mostLines)])
		if len(lines) > mostLines || seen[text] {
			lines = svg.Folded("tick", strconv.Itoa(i+1)+": "+result.ValueOf(p.parameter, q.x), room)
			lines = lines[:min(len(lines), mostLines)]
		}
		seen[text] = true
		out = append(out, lines)
	}
	return out
}

func textOf(lines []svg.TextLine) string {
	return strings.Join(xslices.Map(lines, func(l svg.TextLine) string { return l.Text }), " ")
}

// groups is the number of points of one chart: as many as have room for their labels without a break within a word.
func (p comparePanel) groups() int {
	for n := mostGroups; n > 2; n-- {
		room := (chart.SweepRight-compareLeft)/float64(min(n, len(p.points))) - between
		if !slices.ContainsFunc(p.points, func(q comparedPoint) bool { return !p.fits(q, room) }) {
			return n
		}
	}
	return 2
}

// fits reports whether the label of a point has room.
func (p comparePanel) fits(q comparedPoint, room float64) bool {
	s := result.ValueOf(p.parameter, q.x)
	return len(svg.Folded("tick", s, room)) <= mostLines &&
		!slices.ContainsFunc(strings.Fields(s), func(w string) bool { return svg.TextWidth(w, false) > room })
}

// high is the room that the labels take below the x axis, in pixels.
func (n groupNames) high() float64 {
	lines := 1
	for _, l := range n {
		lines = max(lines, len(l))
	}
	return 1 + lineHeight*float64(lines)
}

// draw writes the label of the i-th group with its middle at x.
func (n groupNames) draw(d *svg.Drawing, i int, x float64) {
	for k, l := range n[i] {
		d.Text(l.Class, svg.Middle, x, chart.SweepBase+1+lineHeight*float64(k+1), l.Text)
	}
}
