package diag

import "strings"

// Nearest returns the name that s was most likely meant to be, or "".
func Nearest(s string, names []string) string {
	best, bestD := "", 1<<30
	for _, name := range names {
		d := distance(strings.ToLower(s), strings.ToLower(name))
		if d < bestD {
			best, bestD = name, d
		}
	}
	if short := min(len(s), len(best)); bestD > max(1, short/3) || bestD >= short {
		return ""
	}
	return best
}

// distance returns the number of letters to change, add, drop or swap with their neighbour, in the first 64 bytes
// (optimal string alignment).
func distance(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
