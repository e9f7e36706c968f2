package chart

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// OverviewRow is a path of the overview: its bar is the measured share of the ceiling, the line is the ceiling.
type OverviewRow struct {
	Path, Text, By string // By: the bottleneck; empty: the link is full
	Found          bool   // By is a cause
	Bar            template.HTML
	share          float64
}

// The overview has the paths that are farthest below their ceiling. Full ones fill it up to fewPaths.
const (
	mostPaths = 24
	fewPaths  = 12
)

// beyond leaves room on the right for a share above the ceiling.
const beyond = 1.03

// Overview returns all paths with a known ceiling, the one farthest below its ceiling first, and how many more there
// are. bottleneck returns the words for what limits an experiment; empty: its link is full.
func Overview(rows []result.Row, bottleneck func(*record.Experiment) (string, bool)) (out []OverviewRow, more int) {
	for _, r := range rows {
		c := Slowest(r)
		share, ok := c.Share()
		if !ok || share < 0 || c.Goodput == nil {
			continue
		}
		text := format.Rate(c.Goodput.Median) + ", " + unit.Percent(share)
		full := share
		if main := r.Main(); main.E != c.E {
			if of, ok := main.Share(); ok {
				full = max(share, of)
				text += " with " + c.Label() + " (" + unit.Percent(of) + " with " + main.Label() + ")"
			}
		}
		by, found := bottleneck(c.E)
		out = append(out, OverviewRow{Path: format.Arrows(r.Path()), By: by, Found: found, share: share, Text: text,
			Bar: overviewBar(share/beyond, full/beyond)})
	}
	slices.SortStableFunc(out, func(a, b OverviewRow) int { return cmp.Compare(a.share, b.share) })
	slow := xslices.Count(out, func(o OverviewRow) bool { return o.By != "" })
	shown := min(len(out), mostPaths, max(slow, fewPaths))
	return out[:shown], len(out) - shown
}

// Slowest returns the combination of a path that an overview shows: of several numbers of streams the slow one that is
// farthest below its ceiling, or else the one by which the path is judged. Of other parameters, as sizes, small values
// are slow by themselves.
func Slowest(r result.Row) result.Combination {
	low := r.Main()
	share, known := low.Share()
	for _, c := range r.Combinations {
		if c.Rest != "" {
			return r.Main()
		}
		of, ok := c.Share()
		if ok && c.E.Verdict != nil && !result.Healthy(c.E.Verdict) && (!known || of < share) {
			low, share, known = c, of, true
		}
	}
	return low
}

// overviewBar is the share of a path, and next to it, paler, what it reaches with more streams, up to the ceiling.
func overviewBar(share, full float64) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="waybar" aria-hidden="true"><rect class="room" x="0" y="22%" width="` + share100(1/beyond) +
		`" height="56%"/>`)
	if full > share {
		b.WriteString(`<rect class="more" x="` + share100(share) + `" y="22%" width="` + share100(full-share) +
			`" height="56%"/>`)
	}
	b.WriteString(`<rect class="full" x="0" y="22%" width="` + share100(share) + `" height="56%"/>`)
	wayLine(&b, 1/beyond)
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) // only numbers
}
