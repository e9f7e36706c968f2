package summary

import (
	"slices"
	"strings"
)

// counterparts is for each storage of one card the number of that of the other which it is held against, -1: there is none. Each is taken once: first what has the same name,
// way and asker, then the only one left of a name, then the one in the same place, if no other has its name.
func counterparts(a, b []Storage) []int {
	out, taken := make([]int, len(a)), make([]bool, len(b))
	for i := range out {
		out[i] = -1
	}
	take := func(i, k int) { out[i], taken[k] = k, true }
	name := func(s Storage) string { return plainText(s.Name, longName) }
	whole := func(s Storage) string {
		return strings.Join([]string{name(s), plainText(s.Over, longName), s.AskedBy}, "\x00")
	}
	for i := range a {
		for k := range b {
			if out[i] < 0 && !taken[k] && whole(a[i]) == whole(b[k]) {
				take(i, k)
			}
		}
	}
	left := func(all []Storage, free func(int) bool, of string) (found []int) {
		for i := range all {
			if free(i) && name(all[i]) == of {
				found = append(found, i)
			}
		}
		return found
	}
	freeA, freeB := func(i int) bool { return out[i] < 0 }, func(k int) bool { return !taken[k] }
	for i := range a {
		if !freeA(i) {
			continue
		}
		if mine, theirs := left(a, freeA, name(a[i])), left(b, freeB, name(a[i])); len(mine) == 1 && len(theirs) == 1 {
			take(i, theirs[0])
		}
	}
	named := func(all []Storage, of string) bool {
		return slices.ContainsFunc(all, func(s Storage) bool { return name(s) == of })
	}
	for i := range a {
		if freeA(i) && i < len(b) && freeB(i) && !named(b, name(a[i])) && !named(a, name(b[i])) {
			take(i, i)
		}
	}
	return out
}

// storageSuffix is what tells the rows of one storage of a card from those of its others.
func storageSuffix(all []Storage, i int) string {
	if len(all) < 2 {
		return ""
	}
	same := func(other Storage) bool { return plainText(other.Name, longName) == plainText(all[i].Name, longName) }
	text := " of " + plainText(all[i].Name, longName)
	for k, other := range all {
		switch {
		case k == i || !same(other):
		case other.Over != all[i].Over && !strings.Contains(text, " over "):
			text += " over " + plainText(all[i].Over, longName)
		case other.AskedBy != all[i].AskedBy && !strings.Contains(text, " asked by "):
			text += " asked by " + plainText(all[i].AskedBy, 1)
		}
	}
	return text
}

// scaleOf is the scale of a lab's rates as a card has it; empty: they are as planned, or it is no lab.
func scaleOf(lab string) string {
	_, scale, _ := strings.Cut(lab, ratesAt)
	scale, _, _ = strings.Cut(scale, ";")
	return strings.TrimSpace(scale)
}
