package report

import (
	"fmt"
	"html/template"
	"math"
	"sort"
	"strconv"
	"strings"

	"linerate/unit"
)

// sweep is a figure over an axis with more than two values.
type sweep struct {
	Title   string
	Chart   template.HTML
	Heads   []string
	Rows    [][]string
	key     string
	systems []system
	xs      []string
}

// system is a line of a sweep: the cells that share all other settings.
type system struct {
	name  string
	cells map[string]cell
}

// sweeps finds, for every row, the axis with most values, if it has more than
// two, and draws the others as lines.
func sweeps(rows []row, mark string) []sweep {
	var out []sweep
	for _, w := range rows {
		key := longestAxis(w)
		if key == "" {
			continue
		}
		s := sweep{Title: arrows(w.path()) + ", " + clean(w.Name) + ": goodput over " + clean(key), key: key}
		index := map[string]int{}
		for _, c := range w.Cells {
			x := c.E.Settings[key]
			if c.Goodput == nil || x == "" {
				continue
			}
			name := c.system(key)
			i, ok := index[name]
			if !ok {
				i = len(s.systems)
				index[name] = i
				s.systems = append(s.systems, system{name: name, cells: map[string]cell{}})
			}
			s.systems[i].cells[x] = c
			if !contains(s.xs, x) {
				s.xs = append(s.xs, x)
			}
		}
		if len(s.xs) < 3 {
			continue
		}
		sort.SliceStable(s.xs, func(a, b int) bool { return place(s.xs[a]) < place(s.xs[b]) })
		s.table()
		s.Chart = s.draw(mark)
		out = append(out, s)
	}
	return out
}

// longestAxis is the setting with most values among a row's cells, and "" where
// none has more than two.
func longestAxis(w row) string {
	values := map[string]map[string]bool{}
	for _, c := range w.Cells {
		for k, v := range c.E.Settings {
			if values[k] == nil {
				values[k] = map[string]bool{}
			}
			values[k][v] = true
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
func (c cell) system(key string) string {
	var parts []string
	if key != "streams" && c.Streams != "" {
		parts = append(parts, streams(c.Streams))
	}
	for _, p := range strings.Split(c.Rest, ", ") {
		if p != "" && !strings.HasPrefix(p, clean(key)+" ") {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
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

func (s *sweep) table() {
	s.Heads = []string{clean(s.key)}
	for _, y := range s.systems {
		name := y.name
		if name == "" {
			name = "goodput"
		}
		s.Heads = append(s.Heads, name, "range or interval", "of ceiling")
	}
	for _, x := range s.xs {
		line := []string{clean(x)}
		for _, y := range s.systems {
			c, ok := y.cells[x]
			if !ok {
				line = append(line, "not run", "", "")
				continue
			}
			share := notKnown
			if v, ok := c.share(); ok {
				share = unit.Percent(v)
			}
			line = append(line, rate(c.Goodput.Median), spread(c.Goodput), share)
		}
		s.Rows = append(s.Rows, line)
	}
}

func (s *sweep) draw(mark string) template.HTML {
	shown := s.systems
	if len(shown) > len(systems()) {
		shown = shown[:len(systems())]
	}
	top := 0.0
	for _, y := range shown {
		for _, c := range y.cells {
			top = max(top, c.Goodput.High, c.Goodput.Median)
			if c.E.Ceiling != nil {
				top = max(top, float64(c.E.Ceiling.Planned()))
			}
		}
	}
	if top <= 0 || math.IsInf(top, 0) {
		return ""
	}
	const wide, left, right, above, base = 760.0, 52.0, 740.0, 28.0, 250.0
	s0 := drawing(wide, base+44+18*float64((len(shown)+2)/3), "chart big", s.Title,
		fmt.Sprintf("%s values of %s, %s; the table below has every figure. More is better.", strconv.Itoa(len(s.xs)), s.key, count(len(shown), "line")))
	y := axis{low: 0, high: top * 1.08, from: base, to: above}
	at := s.spacing(left+14, right-14)
	s0.text("word", start, left, 14, rateUnit(top)+", more is better")
	for _, v := range y.ticks(5) {
		s0.line("grid", left, y.at(v), right, y.at(v))
		s0.text("tick", end, left-6, y.at(v)+4, rateTick(v, top))
	}
	every := (len(s.xs) + 11) / 12
	for i, x := range s.xs {
		if i%every == 0 {
			s0.text("tick", middle, at[i], base+16, shorten(x, 10))
		}
	}
	s0.text("tick", middle, (left+right)/2, base+34, s.key)
	var limit [][2]float64
	for i, x := range s.xs {
		highest := 0.0
		for _, sys := range shown {
			if c, ok := sys.cells[x]; ok && c.E.Ceiling != nil {
				highest = max(highest, float64(c.E.Ceiling.Planned()))
			}
		}
		if highest > 0 {
			limit = append(limit, [2]float64{at[i], y.at(highest)})
		}
	}
	s0.path("ceiling", limit)
	if len(limit) > 0 {
		s0.text("word", end, right, 14, "dashed: ceiling"+mark)
	}
	for n, sys := range shown {
		class := strconv.Itoa(n)
		var points [][2]float64
		for i, x := range s.xs {
			if c, ok := sys.cells[x]; ok {
				points = append(points, [2]float64{at[i], y.at(c.Goodput.Median)})
				s0.line("whisker", at[i], y.at(c.Goodput.Low), at[i], y.at(c.Goodput.High))
				for _, v := range c.repeats() {
					s0.circle("repeat", at[i], y.at(v), 1.8)
				}
			}
		}
		s0.path("line s"+class, points)
		for _, p := range points {
			s0.marker(n, p[0], p[1])
		}
		if sys.name != "" {
			x, row := left+float64(n%3)*230, base+54+18*float64(n/3)
			s0.line("line s"+class, x, row-4, x+26, row-4)
			s0.marker(n, x+13, row-4)
			s0.text("word", start, x+32, row, shorten(sys.name, 28))
		}
	}
	s0.line("axis", left, base, right, base)
	return s0.done()
}

// spacing places the values: by doublings where all are positive numbers, else
// evenly.
func (s *sweep) spacing(from, to float64) []float64 {
	a := axis{low: place(s.xs[0]), high: place(s.xs[len(s.xs)-1]), from: from, to: to, log: true}
	out := make([]float64, len(s.xs))
	for i, x := range s.xs {
		if a.low > 0 && a.high < math.MaxFloat64 {
			out[i] = a.at(place(x))
		} else {
			out[i] = from + (to-from)*float64(i)/float64(len(s.xs)-1)
		}
	}
	return out
}

// marker is a shape that tells lines apart without their colour.
func (s *svg) marker(n int, x, y float64) {
	const r = 4.5
	class := "marker m" + strconv.Itoa(n)
	switch n % 6 {
	case 0:
		s.circle(class, x, y, r)
	case 1:
		s.rect(class, x-4, y-4, 8, 8)
	case 2:
		s.path(class, [][2]float64{{x, y - r}, {x + r, y + r}, {x - r, y + r}, {x, y - r}})
	case 3:
		s.path(class, [][2]float64{{x, y - 5.5}, {x + 5.5, y}, {x, y + 5.5}, {x - 5.5, y}, {x, y - 5.5}})
	case 4:
		s.path(class, [][2]float64{{x - r, y - r}, {x + r, y - r}, {x, y + r}, {x - r, y - r}})
	case 5:
		s.rect(class, x-5.5, y-2.5, 11, 5)
	}
}
