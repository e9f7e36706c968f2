package report

import (
	"regexp"
	"strconv"

	"linerate/internal/record"
)

// figures are the numbers in a warning, by which alone like ones differ; those of a name (n1, rxe0) are none.
func figures() *regexp.Regexp { return regexp.MustCompile(`\b\d+(\.\d+)?`) }

// alike are warnings of the same words with other numbers.
type alike struct {
	words  string // of the first
	places []string
	low    []string
	high   []string
	count  int
}

// warnings are the run's and its experiments'. Those that differ in nothing but
// their numbers are one, with the range of each number.
func warnings(r *record.Run) []string {
	number := figures()
	index := map[string]*alike{}
	var order []*alike
	add := func(text, place string) {
		text = clean(text)
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
			if less(v, a.low[i]) {
				a.low[i] = v
			}
			if less(a.high[i], v) {
				a.high[i] = v
			}
		}
		if place != "" && !contains(a.places, place) {
			a.places = append(a.places, place)
		}
	}
	for _, w := range r.Warnings {
		add(w, "")
	}
	for _, e := range r.Experiments {
		place := clean(e.Name) + " " + clean(e.From) + " -> " + clean(e.To)
		if e.Method == record.MethodHalo {
			place = clean(e.Name) + " " + clean(e.Path())
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
	var out []string
	for _, a := range order {
		out = append(out, a.text(number))
	}
	return out
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
		places = []string{places[0], count(len(places)-1, "other path")}
	}
	switch {
	case len(places) == 0:
		return s
	case a.count > 1:
		return s + " (" + strconv.Itoa(a.count) + " times: " + list(places) + ")"
	}
	return s + " (" + places[0] + ")"
}
