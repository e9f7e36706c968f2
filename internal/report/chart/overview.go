package chart

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// OverviewRow is a path of the overview: its bar is the measured share of the ceiling, the line is the ceiling.
type OverviewRow struct {
	Path, Text string
	Bar        template.HTML
	Limited    bool // the path is below its ceiling
	share      float64
}

// mostPaths is the number of paths in the overview: those farthest below their ceiling.
const mostPaths = 24

// beyond leaves room on the right for a share above the ceiling.
const beyond = 1.03

// Overview returns all paths with a known ceiling, the one farthest below its ceiling first, and how many more there
// are. bottleneck returns the words for what limits a path; empty: its link is full. One path alone needs no overview.
func Overview(rows []result.Row, bottleneck func(result.Row) string) (out []OverviewRow, more int) {
	for _, r := range rows {
		main := r.Main()
		share, ok := main.Share()
		if !ok || share < 0 || main.Goodput == nil {
			continue
		}
		by := bottleneck(r)
		out = append(out, OverviewRow{Path: format.Arrows(r.Path()), Limited: by != "", share: share,
			Text: format.Rate(main.Goodput.Median) + ", " + unit.Percent(share) + unit.If(by == "", "", ", "+by),
			Bar:  overviewBar(share/beyond, by != "")})
	}
	if len(out) < 2 {
		return nil, 0
	}
	slices.SortStableFunc(out, func(a, b OverviewRow) int { return cmp.Compare(a.share, b.share) })
	shown := min(len(out), mostPaths)
	return out[:shown], len(out) - shown
}

func overviewBar(share float64, limited bool) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="waybar" aria-hidden="true"><rect class="` + unit.If(limited, "lowest", "full") +
		`" x="0" y="22%" width="` + share100(share) + `" height="56%"/>`)
	wayLine(&b, 1/beyond)
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) // only numbers
}
