package fabric

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest is the name that a word was most likely meant to be, or "".
func Nearest(word string, names []string) string { return nearest(word, names) }

// Methods are all ways to measure that an experiment can have.
func Methods() []string { return methods() }

// Takes says that experiments of a method may have a setting; a key that is no setting at all is nobody's, and true.
func Takes(method, key string) bool {
	all := settings()
	i := slices.IndexFunc(all, func(s setting) bool { return s.name == key })
	return i < 0 || all[i].methods == nil || slices.Contains(all[i].methods, method)
}

// Values reads the values of one setting of an experiment, A..B in doublings, as a file's are read. Each error says what
// is wrong, whose limit it is and what to write.
func Values(method, key string, texts []string) (values []string, wrong []error) {
	all := settings()
	i := slices.IndexFunc(all, func(s setting) bool { return s.name == key })
	if i < 0 {
		return nil, []error{fmt.Errorf("%s is no setting of an experiment; they are %s", quote(key), orList(settingNames()))}
	}
	s := all[i]
	if !Takes(method, key) {
		return nil, []error{fmt.Errorf("%s has no %s; it is for %s; take it out, or choose another method", method, key, orList(s.methods))}
	}
	seen := map[string]bool{}
	for _, text := range texts {
		more, c := s.values(text, method)
		if c != nil {
			p := Problem{Message: strings.TrimPrefix(c.message, key+" "), Limit: c.limit, Fix: c.fix}
			wrong = append(wrong, fmt.Errorf("%s", p.Words()))
		}
		for _, v := range more {
			if seen[s.canonical(v)] {
				wrong = append(wrong, fmt.Errorf("%s is in the list twice; each value is measured once, repeats say how often; take one out", quote(v)))
			}
			seen[s.canonical(v)] = true
			values = append(values, v)
		}
	}
	return values, wrong
}
