// Package xslices has what package slices does not: new slices of each element, of some, and the first that fits; what
// they come to; and maps of them.
package xslices

import "slices"

// Map is what of makes of every element, in their order; nil if there are none.
func Map[E, R any](list []E, of func(E) R) []R {
	if len(list) == 0 {
		return nil
	}
	out := make([]R, len(list))
	for i, e := range list {
		out[i] = of(e)
	}
	return out
}

// Filter is a new slice of the elements that fit, in their order; nil if there are none.
func Filter[E any](list []E, fits func(E) bool) []E {
	var out []E
	for _, e := range list {
		if fits(e) {
			out = append(out, e)
		}
	}
	return out
}

// Find is the first element that fits, and whether there is one.
func Find[E any](list []E, fits func(E) bool) (E, bool) {
	for _, e := range list {
		if fits(e) {
			return e, true
		}
	}
	var none E
	return none, false
}

// First is the first element that fits, or the zero value.
func First[E any](list []E, fits func(E) bool) E {
	e, _ := Find(list, fits)
	return e
}

// At is the place of the first element that fits; nil if none does.
func At[E any](list []E, fits func(*E) bool) *E {
	for i := range list {
		if fits(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// Count is the number of elements that fit.
func Count[E any](list []E, fits func(E) bool) int {
	n := 0
	for _, e := range list {
		if fits(e) {
			n++
		}
	}
	return n
}

// Number is what can be added up.
type Number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Sum adds up what of makes of every element, in their order.
func Sum[E any, N Number](list []E, of func(E) N) N {
	var sum N
	for _, e := range list {
		sum += of(e)
	}
	return sum
}

// Set is the set of the elements; never nil.
func Set[E comparable](list []E) map[E]bool {
	out := make(map[E]bool, len(list))
	for _, e := range list {
		out[e] = true
	}
	return out
}

// SetOf is the set of what of makes of every element; never nil.
func SetOf[E any, K comparable](list []E, of func(E) K) map[K]bool {
	out := make(map[K]bool, len(list))
	for _, e := range list {
		out[of(e)] = true
	}
	return out
}

// By has the elements by their keys, of two with one key the last; never nil.
func By[E any, K comparable](list []E, key func(E) K) map[K]E {
	out := make(map[K]E, len(list))
	for _, e := range list {
		out[key(e)] = e
	}
	return out
}

// AppendNew appends an element that the list does not have yet.
func AppendNew[E comparable](list []E, e E) []E {
	if slices.Contains(list, e) {
		return list
	}
	return append(list, e)
}
