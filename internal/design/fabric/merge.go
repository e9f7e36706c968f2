package fabric

import (
	"slices"
	"strings"

	"linerate/internal/base/xslices"
)

// merge applies a variant to a mapping as in RFC 7396 (JSON Merge Patch): mappings merge key by key, null removes, and
// everything else replaces. Beyond the RFC, a key with a range matches the same key as written or the names that it
// expands to.
func (s *source) merge(base, patch *node) *node {
	if patch.kind != mapping || s.stopped {
		return patch
	}
	out := &node{kind: mapping, at: patch.at}
	if base != nil && base.kind == mapping {
		out.at = base.at
		out.pairs = append(out.pairs, base.pairs...)
	}
	for _, p := range patch.pairs {
		if !s.charge(p.key.at, 1+len(out.pairs)/8) {
			break
		}
		if _, exact := out.pair(p.key.text); exact || !strings.Contains(p.key.text, "[") && !hasRange(out.pairs) {
			s.patch(out, p.key.text, p)
			continue
		}
		names, err := expand(p.key.text)
		if err != nil || !s.split(out, names) {
			s.patch(out, p.key.text, p)
			continue
		}
		for _, name := range names {
			s.patch(out, name, p)
		}
	}
	out.size = 1
	for _, p := range out.pairs {
		out.size = min(out.size+1+p.value.size, maxNodes)
	}
	return out
}

// patch merges one pair under a key.
func (s *source) patch(n *node, key string, p pair) {
	for i, have := range n.pairs {
		if have.key.text != key {
			continue
		}
		if p.value.kind == null {
			n.pairs = append(n.pairs[:i:i], n.pairs[i+1:]...)
		} else {
			have.value = s.merge(have.value, p.value)
			n.pairs[i] = have
		}
		return
	}
	if p.value.kind == null {
		return
	}
	k := *p.key
	k.text = key
	n.pairs = append(n.pairs, pair{key: &k, value: s.merge(nil, p.value), from: p.from})
}

// split replaces keys with a range that includes one of the names by one key per name. It reports whether all names
// exist.
func (s *source) split(n *node, names []string) bool {
	here := map[string]bool{}
	wanted := xslices.Set(names)
	stands := make([][]string, len(n.pairs))
	for i, p := range n.pairs {
		list, err := expand(p.key.text)
		if err != nil || !s.charge(p.key.at, len(list)) {
			continue
		}
		stands[i] = list
		for _, name := range list {
			here[name] = true
		}
	}
	for name := range wanted {
		if !here[name] {
			return false
		}
	}
	var out []pair
	for i, p := range n.pairs {
		meets := false
		for _, name := range stands[i] {
			meets = meets || wanted[name]
		}
		if len(stands[i]) < 2 || !meets {
			out = append(out, p)
			continue
		}
		for j, name := range stands[i] {
			k := *p.key
			k.text = name
			out = append(out, pair{key: &k, value: p.value, from: &origin{group: p.key.text, step: step{j, len(stands[i])}}})
		}
	}
	n.pairs = out
	return true
}

func hasRange(pairs []pair) bool {
	return slices.ContainsFunc(pairs, func(p pair) bool { return strings.Contains(p.key.text, "[") })
}
