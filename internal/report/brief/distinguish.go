package brief

import (
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// widestPath is the width of the column of paths, as long as they stay different in it.
const widestPath = 36

// linesOf lays out lines of experiments in columns. None looks like another one but for its figure, as long as the
// experiments differ in something.
func linesOf(all []other, width int) []string {
	kind, path, figure := 0, 0, 0
	for _, o := range all {
		kind, path, figure = max(kind, len(o.kind)), max(path, format.Width(o.path)), max(figure, format.Width(o.figure))
	}
	paths := xslices.Map(all, func(o other) string { return o.path })
	cut := cutApart(paths, min(path, widestPath))
	path = 0
	for _, p := range cut {
		path = max(path, format.Width(p))
	}
	room := max(0, width-kind-path-figure-6)
	distinguish(all, room)
	out := make([]string, len(all))
	for i, o := range all {
		out[i] = shorten(format.Pad(o.kind, kind)+"  "+format.Pad(cut[i], path)+"  "+format.PadLeft(o.figure, figure)+"  "+
			o.text, width)
	}
	return out
}

// distinguish begins the texts of lines that would look equal in a width with what differs: the settings, else the
// variant or the experiment's name. The beginning is what a narrow terminal shows.
func distinguish(all []other, room int) {
	for _, equal := range format.Groups(slices.Collect(pointers(all)), func(o *other) [3]string {
		return [3]string{o.kind, o.path, shorten(o.text, room)}
	}) {
		if len(equal) < 2 || slices.ContainsFunc(equal, func(o *other) bool { return len(o.of) == 0 }) {
			continue
		}
		words := result.Apart(xslices.Map(equal, func(o *other) []*record.Experiment { return o.of }))
		for i, o := range equal {
			o.text = strings.Trim(words[i]+", "+o.text, ", ")
		}
	}
}

// pointers returns pointers to the elements of a list.
func pointers(all []other) func(func(*other) bool) {
	return func(yield func(*other) bool) {
		for i := range all {
			if !yield(&all[i]) {
				return
			}
		}
	}
}

// cutApart shortens texts to a width in which different ones look different: at the end, else in the middle, else it
// leaves them whole.
func cutApart(all []string, width int) []string {
	middle := func(s string, n int) string {
		r := []rune(format.Clean(s))
		if len(r) <= n || n < 8 {
			return shorten(s, n)
		}
		return string(r[:(n-3)/2]) + "..." + string(r[len(r)-(n-3-(n-3)/2):])
	}
	for _, by := range []func(string, int) string{shorten, middle} {
		cut := xslices.Map(all, func(s string) string { return by(s, width) })
		if count(cut) == count(all) {
			return cut
		}
	}
	return xslices.Map(all, format.Clean)
}

func count(all []string) int { return len(xslices.SetOf(all, func(s string) string { return s })) }
