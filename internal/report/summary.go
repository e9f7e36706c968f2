package report

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
)

// summary is the table of all paths of an experiment.
type summary struct {
	Name  string
	Heads []string
	Rows  []summaryRow
	Ping  bool // some row has round trips
	Loss  bool // some row was over UDP
}

type summaryRow struct {
	Path, Anchor, Share, Ceiling, P50, P99, Lost, By string
	Figures                                          []string
	Sub, Limited                                     bool
}

func summaries(all []row) []summary {
	var out []summary
	index := map[string]int{}
	grouped := map[string][]row{}
	for _, w := range all {
		if _, ok := index[w.Name]; !ok {
			index[w.Name] = len(out)
			out = append(out, summary{Name: clean(w.Name)})
		}
		grouped[w.Name] = append(grouped[w.Name], w)
	}
	n := 0
	for name, i := range index {
		s := &out[i]
		values, rest := cellColumns(grouped[name])
		rest = rest || len(values) > 5
		if rest {
			s.Heads = []string{"lowest", "highest"}
		} else {
			for _, v := range values {
				s.Heads = append(s.Heads, streams(v))
			}
		}
	}
	for _, w := range all {
		n++
		s := &out[index[w.Name]]
		line := summaryRow{Path: arrows(w.path()), Anchor: anchor(n), Limited: !healthy(w.main().E.Verdict)}
		line.fill(w.main())
		if len(s.Heads) == 2 && s.Heads[0] == "lowest" {
			low, high := extremes(w)
			line.Figures = []string{low, high}
		} else {
			values, _ := cellColumns(grouped[w.Name])
			for _, v := range values {
				line.Figures = append(line.Figures, w.figure(v))
			}
		}
		if w.Ping != nil {
			s.Ping = true
			line.P50, line.P99 = seconds(w.Ping.Latency.P50), seconds(w.Ping.Latency.P99)
		}
		s.Loss = s.Loss || line.Lost != ""
		s.Rows = append(s.Rows, line)
		for _, o := range w.others(false, 40) {
			sub := summaryRow{Path: o.label, Figures: make([]string, len(line.Figures)), Sub: true, Limited: !healthy(o.cell.E.Verdict)}
			sub.fill(o.cell)
			s.Loss = s.Loss || sub.Lost != ""
			s.Rows = append(s.Rows, sub)
		}
	}
	return out
}

func (s *summaryRow) fill(c cell) {
	s.Lost = lossText(c.E)
	s.Share, s.Ceiling, s.By = notKnown, ceilingText(c.E), limitedBy(c.E, false)
	if v, ok := c.share(); ok {
		s.Share = unit.Percent(v)
	} else if c.Goodput == nil {
		s.Share = ""
	}
}

func anchor(n int) string { return fmt.Sprintf("path-%d", n) }

// arrows writes a path for a page, which always has the character.
func arrows(s string) string {
	return strings.NewReplacer(" -> ", " → ", " <-> ", " ↔ ").Replace(s)
}
