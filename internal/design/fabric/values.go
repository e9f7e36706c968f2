package fabric

import (
	"cmp"
	"fmt"
	"strings"

	"linerate/internal/base/method"
)

// Nearest returns the name that a word was most likely meant to be, or "".
func Nearest(word string, names []string) string { return nearest(word, names) }

// MeantMethod returns the name of the method that an unknown word most likely means: another word for it, or a name or
// alias with an error in it; empty if there is none.
func MeantMethod(word string) string {
	return cmp.Or(method.Synonym(word), method.Canonical(nearest(word, method.Spellings())))
}

// Methods returns all methods that an experiment can have.
func Methods() []string { return method.Names(nil) }

// Values reads the values of one setting of an experiment as in a file, with A..B in doublings. Each error has what is
// wrong, whose limit it is and what to write.
func Values(of, key string, texts []string) (values []string, wrong []error) {
	declared, ok := method.SettingOf(key)
	if !ok {
		return nil, []error{fmt.Errorf("%s is not a setting of an experiment; they are "+
			"%s", quote(key), orList(method.Keys()))}
	}
	s := setting{declared}
	if !s.Of(of) {
		return nil, []error{
			fmt.Errorf("%s has no %s; it is for %s; take it out, or choose another method", of, key, orList(s.Methods)),
		}
	}
	seen := map[string]bool{}
	for _, text := range texts {
		more, c := s.values(text, of)
		if c != nil {
			p := Problem{Message: strings.TrimPrefix(strings.Replace(c.message, "unknown "+key, "unknown value", 1), key+" "),
				Limit: c.limit, Fix: c.fix}
			wrong = append(wrong, fmt.Errorf("%s", p.Words()))
		}
		for _, v := range more {
			if seen[s.canonical(v)] {
				wrong = append(wrong, fmt.Errorf("%s is in the list twice; each value is measured once, repeats say how often; "+
					"take one out", quote(v)))
			}
			seen[s.canonical(v)] = true
			values = append(values, v)
		}
	}
	return values, wrong
}
