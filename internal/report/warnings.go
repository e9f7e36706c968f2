package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
	hosts  map[string]bool // of a group: those whose names the warnings begin with
}

// Warnings returns those of the run and its experiments. Those that differ only in numbers are one, with the range of
// each number. Of the flows of a group also those that differ only in the hosts are one.
func Warnings(r *record.Run) []string {
	number := figures()
	index := map[string]*alike{}
	var order []*alike
	add := func(text, place string, names *regexp.Regexp) {
		text = format.Clean(text)
		key := number.ReplaceAllString(text, "#")
		if names != nil {
			key = place + names.ReplaceAllString(key, "HOST")
		}
		values := number.FindAllString(text, -1)
		a := index[key]
		if a == nil {
			a = &alike{words: text, low: append([]string{}, values...), high: append([]string{}, values...),
				hosts: map[string]bool{}}
			index[key] = a
			order = append(order, a)
		}
		a.count++
		if host, _, ok := strings.Cut(text, ": "); ok && names != nil && names.FindString(host) == host {
			a.hosts[host] = true
		}
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
		add(w, "", nil)
	}
	for _, e := range r.Experiments {
		place := format.Clean(e.Name) + " " + format.Clean(e.From) + " -> " + format.Clean(e.To)
		if method.Named(e.Method).Exchanges {
			place = format.Clean(e.Name) + " " + format.Clean(e.Path())
		}
		names := namesOf(e)
		for _, w := range e.Warnings {
			add(w, place, names)
		}
		for _, p := range e.Repeats {
			for _, w := range p.Warnings {
				add(w, place, names)
			}
		}
	}
	return xslices.Map(order, func(a *alike) string { return a.text(number) })
}

// namesOf matches the names of the hosts of a group; nil: it is none.
func namesOf(e *record.Experiment) *regexp.Regexp {
	if e.Pattern == "" {
		return nil
	}
	var names []string
	for _, f := range e.Flows {
		names = append(names, regexp.QuoteMeta(format.Clean(f.From)), regexp.QuoteMeta(format.Clean(f.To)))
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	return regexp.MustCompile(`\b(?:` + strings.Join(slices.Compact(names), "|") + `)\b`)
}

func (a *alike) text(number *regexp.Regexp) string {
	n := -1
	s := number.ReplaceAllStringFunc(a.words, func(string) string {
		n++
		if a.low[n] == a.high[n] {
			return a.low[n]
		}
		return a.low[n] + " to " + a.high[n]
	})
	places := a.places
	if len(places) > 2 {
		places = []string{places[0], unit.Counted(len(places)-1, "other path")}
	}
	switch {
	case len(places) == 0:
		return s
	case len(a.hosts) > 1:
		return s + fmt.Sprintf(" (%d times, of %d hosts: %s)", a.count, len(a.hosts), unit.List(places))
	case a.count > 1:
		return s + " (" + strconv.Itoa(a.count) + " times: " + unit.List(places) + ")"
	}
	return s + " (" + places[0] + ")"
}
