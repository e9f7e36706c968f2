package fabric

import (
	"slices"
	"strings"
)

// foreign says whether the file is something else than a fabric: nothing in it is a key of one, nor much like one. What YAML finds
// wrong in a text or a program's settings would send its owner to mend lines that are right.
func (s *source) foreign(root *node) bool {
	keys := (&decoder{}).keysOf("fabric")
	known := func(key string) bool { return slices.Contains(keys, key) || nearest(key, keys) != "" }
	if root != nil && root.kind == mapping {
		return len(root.pairs) > 0 && !slices.ContainsFunc(root.pairs, func(p pair) bool { return p.key.text == "note" || known(p.key.text) })
	}
	outer, lines := -1, 0 // the indentation of the outermost keys is that of the first line
	for _, line := range s.Lines {
		text := strings.TrimLeft(line, " \t\uFEFF")
		if strings.Trim(text, "\r") == "" || text[0] == '#' || strings.HasPrefix(text, "---") || text[0] == '%' {
			continue
		}
		lines++
		indent := len(line) - len(text)
		if outer < 0 {
			outer = indent
		}
		word, rest := strings.TrimLeft(text, "{\"' "), ""
		if end := strings.IndexFunc(word, func(r rune) bool { return !nameRune(r) }); end >= 0 {
			word, rest = word[:end], strings.TrimLeft(word[end:], "\"' ")
		}
		if indent <= outer && (rest == "" || rest == "\r" || rest[0] == ':') && known(word) {
			return false
		}
	}
	return lines > 0
}

// notFabric puts one problem in place of all that were found.
func (s *source) notFabric() {
	s.problems, s.seen = nil, map[string]bool{}
	s.add(At{1, 1}, Problem{Subject: "the file", Message: "it is no fabric file: no line of it has a key of one", Limit: "a fabric has fabric: NAME, hosts: and links:",
		Fix: "linerate init HOST writes one, and the folder examples has some"})
}
