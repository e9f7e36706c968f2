package plan

import (
	"fmt"
	"linerate/internal/record"
	"slices"
	"strings"
)

var ruleLoop = Rule{
	ID:    "switch-loop",
	Title: "loops of switches",
	Why:   "Ethernet has no way out of a loop: one broadcast circles for ever, unless a spanning tree blocks the loop's links",
	Worst: record.Warning,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for _, g := range c.rings() {
			out = append(out, said(record.Warning, "switches "+names(g.switches), 0,
				"join cables between the same two switches in one bond (LACP), and let switches that act as one (MLAG) or routing do the rest",
				"%s between them form a loop: a spanning tree uses %d and blocks %d, whose rate is lost", counted(g.cables, "cable"), len(g.switches)-1, g.cables-len(g.switches)+1))
		}
		return out
	},
}

// ring is a set of switches that are joined by more cables than a tree takes.
type ring struct {
	switches []string
	cables   int
	pairs    int // pairs of switches that are joined; cables between one pair counted once
	vlan     int
}

// rings finds the sets of switches that cables join with loops, for each VLAN.
func (c *checkup) rings() []ring {
	type key struct {
		vlan int
		name string
	}
	root := map[key]key{}
	var find func(k key) key
	find = func(k key) key {
		if r, ok := root[k]; ok && r != k {
			root[k] = find(r)
			return root[k]
		}
		root[k] = k
		return k
	}
	var order []key
	cables, pairs := map[key]int{}, map[key]map[string]bool{}
	each := func(visit func(i int, a, b key)) {
		for i, l := range c.p.Links {
			a, b := c.sides[i][0], c.sides[i][1]
			if a.sw == nil || b.sw == nil || infiniBandOnly(a) || infiniBandOnly(b) {
				continue
			}
			visit(i, key{l.VLAN, a.sw.Name}, key{l.VLAN, b.sw.Name})
		}
	}
	each(func(_ int, a, b key) {
		for _, k := range []key{a, b} {
			if _, ok := root[k]; !ok {
				order = append(order, k)
			}
			find(k)
		}
		root[find(b)] = find(a)
	})
	each(func(_ int, a, b key) {
		r := find(a)
		cables[r]++
		if pairs[r] == nil {
			pairs[r] = map[string]bool{}
		}
		pairs[r][min(a.name, b.name)+" "+max(a.name, b.name)] = true
	})
	members := map[key][]string{}
	for _, k := range order {
		members[find(k)] = append(members[find(k)], k.name)
	}
	var out []ring
	for _, k := range order {
		if m := members[k]; find(k) == k && cables[k] >= len(m) {
			out = append(out, ring{switches: m, cables: cables[k], pairs: len(pairs[k]), vlan: k.vlan})
		}
	}
	return out
}

func infiniBandOnly(s side) bool {
	return s.part != nil && s.part.Speeds == nil && len(s.part.InfiniBand) > 0
}

// names lists up to listed names and counts the rest.
func names(all []string) string {
	all = slices.Sorted(slices.Values(all))
	if len(all) > listed+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:listed], ", "), len(all)-listed)
	}
	return strings.Join(all, ", ")
}
