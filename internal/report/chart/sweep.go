package chart

import (
	"html/template"
	"slices"
	"sort"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// Sweep is one experiment between two ends over a parameter with more than two values, in every direction measured.
type Sweep struct {
	Title   string
	Said    []string        // value from which on the line rate is reached
	Charts  []template.HTML // of each direction: goodput, then its cost
	Headers []string        // of Rows: each combination's share of its ceiling
	Rows    [][]string
	Detail  []sweepCombination
	Key     string
	Anchor  string
	// Whisker is the meaning of the charts' whiskers.
	Whisker string

	Panels  []SweepPanel
	Xs      []string
	Decades bool // the figures span decades: their y axis is logarithmic
}

// SweepPanel is one direction of a sweep.
type SweepPanel struct {
	Row     result.Row
	Note    string // common settings of its combinations, besides the path
	Systems []System
}

// System is a line of a sweep: the combinations that share all other settings.
type System struct {
	Name         string // "8 streams"
	Short        string // "8"
	Combinations map[string]result.Combination
}

// sweepCombination is a line of the table with every figure.
type sweepCombination struct{ X, Direction, System, Goodput, Spread, Ceiling, Share, Cost string }

// Sweeps gathers the rows of each experiment between two ends, finds the parameter with most values, if it has more
// than two, and makes lines of the others.
func Sweeps(rows []result.Row, mark string) []Sweep {
	var out []Sweep
	for _, g := range format.Groups(rows, func(w result.Row) string {
		p := result.Pair(w.From, w.To)
		key := []string{w.Name, w.Variant, w.Pattern, p[0], p[1]}
		if w.Several {
			key = append(key, slices.Sorted(slices.Values(w.Links))...)
		}
		return strings.Join(key, "\x00")
	}) {
		if s, ok := newSweep(g); ok {
			s.finish(mark)
			out = append(out, s)
		}
	}
	return out
}

func newSweep(rows []result.Row) (Sweep, bool) {
	key := longestParameter(rows)
	if key == "" {
		return Sweep{}, false
	}
	s := Sweep{Key: format.Clean(key)}
	for _, w := range rows {
		p := SweepPanel{Row: w}
		index := map[string]int{}
		for _, c := range w.Combinations {
			x := c.E.Settings[key]
			if c.Goodput == nil || x == "" {
				continue
			}
			name, short := c.System(key)
			i, ok := index[name]
			if !ok {
				i = len(p.Systems)
				index[name] = i
				p.Systems = append(p.Systems, System{Name: name, Short: short, Combinations: map[string]result.Combination{}})
			}
			p.Systems[i].Combinations[x] = c
			s.Xs = xslices.AppendNew(s.Xs, x)
		}
		if len(p.Systems) > 0 {
			s.Panels = append(s.Panels, p)
		}
	}
	if len(s.Xs) < 3 {
		return Sweep{}, false
	}
	sort.SliceStable(s.Xs, func(a, b int) bool { return result.Place(s.Xs[a]) < result.Place(s.Xs[b]) })
	return s, true
}

// finish sets the fields that the page prints.
func (s *Sweep) finish(mark string) {
	first := s.Panels[0].Row
	s.Title = format.Clean(first.From) + " and " + format.Clean(first.To) + ", " + format.Clean(first.Name)
	if first.Pattern != "" {
		s.Title = format.Arrows(first.Path()) + ", " + format.Clean(first.Name)
	}
	if first.Variant != "" && first.Pattern == "" {
		s.Title += " [" + format.Clean(first.Variant) + "]"
	}
	s.Title += ": over " + s.Key
	s.Headers, s.Whisker = []string{s.Key}, whisker(first.Combinations)
	for _, p := range s.Panels {
		for _, y := range p.Systems {
			s.Headers = append(s.Headers, p.head(y))
			s.Said = append(s.Said, p.head(y)+": "+s.LineRate(y))
		}
	}
	for _, x := range s.Xs {
		line := []string{s.Value(x)}
		for _, p := range s.Panels {
			for _, y := range p.Systems {
				line = append(line, y.Share(x))
				s.Detail = append(s.Detail, y.detail(p, s.Value(x), x))
			}
		}
		s.Rows = append(s.Rows, line)
	}
	for _, p := range s.Panels {
		s.Charts = append(s.Charts, s.goodputChart(p, mark), s.costChart(p))
	}
}

// head returns the header of a column: "pair1 → pair2, 8 streams".
func (p SweepPanel) head(y System) string {
	s := format.Arrows(p.Row.Path())
	if y.Name != "" {
		s += ", " + y.Name
	}
	return s
}

// Value prints a value of the parameter.
func (s *Sweep) Value(x string) string { return result.ValueOf(s.Key, x) }

// Share formats a combination's share of its ceiling.
func (y System) Share(x string) string {
	c, ok := y.Combinations[x]
	if !ok {
		return "not run"
	}
	if v, ok := c.Share(); ok {
		return unit.Percent(v)
	}
	return format.NotKnown
}

func (y System) detail(p SweepPanel, name, x string) sweepCombination {
	d := sweepCombination{X: name, Direction: format.Arrows(p.Row.Path()), System: y.Name, Goodput: "not run"}
	c, ok := y.Combinations[x]
	if !ok {
		return d
	}
	d.Goodput, d.Spread, d.Ceiling, d.Share, d.Cost = format.Rate(
		c.Goodput.Median,
	), format.Spread(c.Goodput), result.CeilingText(c.E), y.Share(x), format.NotKnown
	if v, ok := c.Cost(); ok {
		d.Cost = unit.Significant(v)
	}
	return d
}

// Full is the share of the ceiling from which on a link counts as full. The verdict `link` of explain uses the same
// share.
const Full = 0.97

// LineRateFrom returns the index of the value from which on every larger one reaches the line rate: the median of its
// repeats is within 3 % of the ceiling, and at the index itself and the largest value the lower end of their interval,
// too. A value between with one slow repeat changes nothing. It is below 0 where there is none. why is set where it is
// not known.
func (s *Sweep) LineRateFrom(y System) (from int, why string) {
	from = -1
	for i := len(s.Xs) - 1; i >= 0; i-- {
		c, ok := y.Combinations[s.Xs[i]]
		if !ok {
			if from < 0 {
				return -1, s.Value(s.Xs[i]) + " was not run"
			}
			break
		}
		if c.E.Ceiling == nil || c.E.Ceiling.Planned() <= 0 {
			return -1, "the ceiling is not known"
		}
		if c.Goodput.Median < Full*float64(c.E.Ceiling.Planned()) {
			break
		}
		if c.Goodput.Low >= Full*float64(c.E.Ceiling.Planned()) {
			from = i
		} else if from < 0 {
			break // the largest has to be there for certain
		}
	}
	return from, ""
}

// LineRate is LineRateFrom in words.
func (s *Sweep) LineRate(y System) string {
	from, why := s.LineRateFrom(y)
	switch {
	case why != "":
		return "line rate " + format.NotKnown + ": " + why
	case from < 0:
		return "below the line rate up to " + s.Value(s.Xs[len(s.Xs)-1])
	case from == len(s.Xs)-1:
		return "line rate at " + s.Value(s.Xs[from]) + " only"
	}
	return "line rate from " + s.Value(s.Xs[from]) + " on"
}

// longestParameter returns the setting with most values among the combinations, and "" where none has more than two.
func longestParameter(rows []result.Row) string {
	values := map[string]map[string]bool{}
	for _, w := range rows {
		for _, c := range w.Combinations {
			for k, v := range c.E.Settings {
				if k == "direction" || k == "via" { // these have rows of their own
					continue
				}
				if values[k] == nil {
					values[k] = map[string]bool{}
				}
				values[k][v] = true
			}
		}
	}
	best, most := "", 2
	for k, v := range values {
		if len(v) > most || len(v) == most && best != "" && k < best {
			best, most = k, len(v)
		}
	}
	return best
}
