package fabric

import (
	"slices"
	"strings"

	"linerate/internal/base/diag"
)

// At is a place in the fabric's file: line and column counted from 1, both 0
// for what was not written but filled in.
type At struct{ Line, Col int }

// Problem is one mistake in a fabric file.
type Problem = diag.Problem

// Problems are all mistakes of a file, in its order. Compare the length with 0:
// an empty list in an error variable is not nil.
type Problems = diag.Problems

func visible(s string) string { return diag.Visible(s) }

func quote(s string) string { return diag.Quote(s) }

func nearest(s string, names []string) string { return diag.Nearest(s, names) }

// orList prints "a, b or c".
func orList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// some prints up to n names, sorted, and says how many more there are.
func some(names []string, n int) string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) > n {
		return strings.Join(names[:n], ", ") + ", .."
	}
	return strings.Join(names, ", ")
}
