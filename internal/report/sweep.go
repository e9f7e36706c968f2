package report

import (
	"html/template"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// sweep is one experiment between two ends over an axis with more than two values, in every direction measured.
type sweep struct {
	Title  string
	Said   []string        // from which value on the line rate is reached
	Charts []template.HTML // of each direction: goodput, then what it cost
	Heads  []string        // of Rows: what share of its ceiling each cell reached
	Rows   [][]string
	Detail []sweepCell
	Key    string
	Anchor string
	// Whisker says what the charts' whiskers are.
	Whisker string

	panels  []sweepPanel
	xs      []string
	decades bool // the figures span decades: their axis is logarithmic
}

// sweepPanel is one direction of a sweep.
type sweepPanel struct {
	row     row
	note    string // what all of its cells have in common, beside the path
	systems []system
}

// system is a line of a sweep: the cells that share all other settings.
type system struct {
	name  string // "8 streams"
	short string // "8"
	cells map[string]cell
}

// sweepCell is a line of the table with every figure.
type sweepCell struct{ X, Direction, System, Goodput, Spread, Ceiling, Share, Cost string }

// sweeps gathers the rows of each experiment between two ends, finds the axis with most values, if it has more than
// two, and makes lines of the others.
func sweeps(rows []row, mark string) []sweep {
	var order []string
	of := map[string][]row{}
	for _, w := range rows {
		p := pair(w.From, w.To)
		links := slices.Clone(w.Links)
		slices.Sort(links)
		key := strings.Join([]string{w.Name, w.Variant, w.Pattern, p[0], p[1]}, "\x00")
		if w.several {
			key += "\x00" + strings.Join(links, "\x00")
		}
		if of[key] == nil {
			order = append(order, key)
		}
		of[key] = append(of[key], w)
	}
	var out []sweep
	for _, key := range order {
		if s, ok := newSweep(of[key]); ok {
			s.finish(mark)
			out = append(out, s)
		}
	}
	return out
}

func newSweep(rows []row) (sweep, bool) {
	key := longestAxis(rows)
	if key == "" {
		return sweep{}, false
	}
	s := sweep{Key: clean(key)}
	for _, w := range rows {
		p := sweepPanel{row: w}
		index := map[string]int{}
		for _, c := range w.Cells {
			x := c.E.Settings[key]
			if c.Goodput == nil || x == "" {
				continue
			}
			name, short := c.system(key)
			i, ok := index[name]
			if !ok {
				i = len(p.systems)
				index[name] = i
				p.systems = append(p.systems, system{name: name, short: short, cells: map[string]cell{}})
			}
			p.systems[i].cells[x] = c
			if !contains(s.xs, x) {
				s.xs = append(s.xs, x)
			}
		}
		if len(p.systems) > 0 {
			s.panels = append(s.panels, p)
		}
	}
	if len(s.xs) < 3 {
		return sweep{}, false
	}
	sort.SliceStable(s.xs, func(a, b int) bool { return place(s.xs[a]) < place(s.xs[b]) })
	return s, true
}

// finish makes what the page prints.
func (s *sweep) finish(mark string) {
	first := s.panels[0].row
	s.Title = clean(first.From) + " and " + clean(first.To) + ", " + clean(first.Name)
	if first.Pattern != "" {
		s.Title = arrows(first.path()) + ", " + clean(first.Name)
	}
	if first.Variant != "" && first.Pattern == "" {
		s.Title += " [" + clean(first.Variant) + "]"
	}
	s.Title += ": over " + s.Key
	s.Heads, s.Whisker = []string{s.Key}, whisker(first.Cells)
	for _, p := range s.panels {
		for _, y := range p.systems {
			s.Heads = append(s.Heads, p.head(y))
			s.Said = append(s.Said, p.head(y)+": "+s.lineRate(y))
		}
	}
	for _, x := range s.xs {
		line := []string{s.value(x)}
		for _, p := range s.panels {
			for _, y := range p.systems {
				line = append(line, y.share(x))
				s.Detail = append(s.Detail, y.detail(p, s.value(x), x))
			}
		}
		s.Rows = append(s.Rows, line)
	}
	for _, p := range s.panels {
		s.Charts = append(s.Charts, s.goodputChart(p, mark), s.costChart(p))
	}
}

// head names a column: "pair1 → pair2, 8 streams".
func (p sweepPanel) head(y system) string {
	s := arrows(p.row.path())
	if y.name != "" {
		s += ", " + y.name
	}
	return s
}

// value prints a value of an axis: "128 KiB" for 128KiB.
func value(x string) string {
	if _, err := strconv.ParseFloat(x, 64); err == nil {
		return clean(x)
	}
	if b, err := unit.ParseBytes(x); err == nil {
		return b.String()
	}
	return clean(x)
}

// valueOf prints a value of a setting: 1G is a rate where it is a pace, and 1.00 Gb/s; of all else it is an amount of bytes.
func valueOf(key, v string) string {
	if key == "pace" {
		if r, err := unit.ParseBitRate(v); err == nil {
			return r.String()
		}
		return clean(v)
	}
	return value(v)
}

func (s *sweep) value(x string) string { return valueOf(s.Key, x) }

// share is what part of its ceiling a cell reached.
func (y system) share(x string) string {
	c, ok := y.cells[x]
	if !ok {
		return "not run"
	}
	if v, ok := c.share(); ok {
		return unit.Percent(v)
	}
	return notKnown
}

func (y system) detail(p sweepPanel, name, x string) sweepCell {
	d := sweepCell{X: name, Direction: arrows(p.row.path()), System: y.name, Goodput: "not run"}
	c, ok := y.cells[x]
	if !ok {
		return d
	}
	d.Goodput, d.Spread, d.Ceiling, d.Share, d.Cost = rate(c.Goodput.Median), spread(c.Goodput), ceilingText(c.E), y.share(x), notKnown
	if v, ok := c.cost(); ok {
		d.Cost = unit.Significant(v)
	}
	return d
}

// full is the share of the ceiling from which on the line is at its rate: explain's verdict `link` asks for the same.
const full = 0.97

// lineRateFrom is the place of the value from which on every larger one reaches the line rate: the lower end of what its
// repeats carry is within 3 % of the ceiling. Below 0: there is none. Why is set where it is not known.
func (s *sweep) lineRateFrom(y system) (from int, why string) {
	from = -1
	for i := len(s.xs) - 1; i >= 0; i-- {
		c, ok := y.cells[s.xs[i]]
		if !ok {
			if from < 0 {
				return -1, s.value(s.xs[i]) + " was not run"
			}
			break
		}
		if c.E.Ceiling == nil || c.E.Ceiling.Planned() <= 0 {
			return -1, "the ceiling is not known"
		}
		if c.Goodput.Low < full*float64(c.E.Ceiling.Planned()) {
			break
		}
		from = i
	}
	return from, ""
}

// lineRate says it in words.
func (s *sweep) lineRate(y system) string {
	from, why := s.lineRateFrom(y)
	switch {
	case why != "":
		return "line rate " + notKnown + ": " + why
	case from < 0:
		return "below the line rate up to " + s.value(s.xs[len(s.xs)-1])
	case from == len(s.xs)-1:
		return "line rate at " + s.value(s.xs[from]) + " only"
	}
	return "line rate from " + s.value(s.xs[from]) + " on"
}

// longestAxis is the setting with most values among the cells, and "" where none has more than two.
func longestAxis(rows []row) string {
	values := map[string]map[string]bool{}
	for _, w := range rows {
		for _, c := range w.Cells {
			for k, v := range c.E.Settings {
				if k == "direction" || k == "via" { // rows of their own
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

// system names the line of a sweep over key that a cell belongs to.
func (c cell) system(key string) (name, short string) {
	var parts, shorts []string
	if key != "streams" && c.Streams != "" {
		parts, shorts = append(parts, streams(c.Streams)), append(shorts, clean(c.Streams))
	}
	for _, p := range strings.Split(c.Rest, ", ") {
		if p != "" && !strings.HasPrefix(p, clean(key)+" ") {
			parts, shorts = append(parts, p), append(shorts, shortSetting(p))
		}
	}
	return strings.Join(parts, ", "), strings.Join(shorts, ", ")
}

// shortSetting is a setting "size 16KiB" without its key where the value's unit tells what it is: "16 KiB".
func shortSetting(s string) string {
	key, v, _ := strings.Cut(s, " ")
	if key == "size" || key == "pace" || key == "amount" {
		return valueOf(key, v)
	}
	return s
}

// place is the number that a setting stands for, to order and space an axis.
func place(s string) float64 {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return v
	}
	if v, err := unit.ParseBytes(s); err == nil {
		return float64(v)
	}
	if v, err := unit.ParseBitRate(s); err == nil {
		return float64(v)
	}
	if v, err := unit.ParseDuration(s); err == nil {
		return v.Seconds()
	}
	return math.MaxFloat64
}
