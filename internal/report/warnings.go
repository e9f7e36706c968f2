package report

import (
	"regexp"
	"slices"
	"strconv"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// figures matches the numbers in a warning, in which similar ones differ, but not those of a name (n1, rxe0).
func figures() *regexp.Regexp { return regexp.MustCompile(`\b\d+(\.\d+)?`) }

// alike are warnings of the same words with other numbers.
type alike struct {
	words  string // of the first
	places []string
	low    []string
	high   []string
	count  int
}

// Warnings returns those of the run and its experiments. Those that differ only in numbers are one, with the range of
// each number.
func Warnings(r *record.Run) []string {
	number := figures()
	index := map[string]*alike{}
	var order []*alike
	add := func(text, place string) {
		text = format.Clean(text)
		key := number.ReplaceAllString(text, "#")
		values := number.FindAllString(text, -1)
		a := index[key]
		if a == nil {
			a = &alike{words: text, low: append([]string{}, values...), high: append([]string{}, values...)}
			index[key] = a
			order = append(order, a)
		}
		a.count++
		for i, v := range values {
			if result.Less(v, a.low[i]) {
				a.low[i] = v
			}
			if result.Less(a.high[i], v) {
				a.high[i] = v
			}
		}
		if place != "" && !slices.Contains(a.places, place) {
			a.places = append(a.places, place)
		}
	}
	for _, w := range r.Warnings {
		add(w, "")
	}
	for _, e := range r.Experiments {
		place := format.Clean(e.Name) + " " + format.Clean(e.From) + " -> " + format.Clean(e.To)
		if method.Named(e.Method).Exchanges {
			place = format.Clean(e.Name) + " " + format.Clean(e.Path())
		}
		for _, w := range e.Warnings {
			add(w, place)
		}
		for _, p := range e.Repeats {
			for _, w := range p.Warnings {
				add(w, place)
			}
		}
	}
	return xslices.Map(order, func(a *alike) string { return a.text(number) })
}

func (a *alike) text(number *regexp.Regexp) string {
	n := -1
	s := number.ReplaceAllStringFunc(a.words, func(string) string {
		n++
		if a.low[n] == a.high[n] {
			return a.low[n]
		}
		return a.low[n] + " .. " + a.high[n]
	})
	places := a.places
	if len(places) > 2 {
		places = []string{places[0], unit.Counted(len(places)-1, "other path")}
	}
	switch {
	case len(places) == 0:
		return s
	case a.count > 1:
		return s + " (" + strconv.Itoa(a.count) + " times: " + unit.List(places) + ")"
	}
	return s + " (" + places[0] + ")"
}
