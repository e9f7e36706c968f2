package parse

import (
	"errors"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// OfFiles makes the star of the name the name of a saved file, with the form of its text and the end of its name.
func (s Source) OfFiles(looks, end string) Source {
	s = s.KeptAs("", looks).Ending(end)
	s.OfFile = true
	return s
}

// Ending requires an end of a saved file's name, because the text alone is ambiguous.
func (s Source) Ending(end string) Source {
	s.End = end
	return s
}

// Source is a file or command output in snapshots: its name, in which each * is one word or path element, and the
// conversion of its text to facts. args are the values of the stars.
type Source struct {
	Name    string
	OS      string             // its system; empty: several
	Words   []string           // words at the start of the name of a file that was saved by hand
	OfFile  bool               // its star is the name of the saved file
	End     string             // of a saved file's name, because the text alone is ambiguous
	Looks   *lazyregexp.Regexp // the form of its text; nil: only the name identifies it
	Read    func(f *Builder, args []string, text []byte) error
	Missing func(f *Builder, args []string, why string) // stores why its facts are unknown; may be nil
}

// Parsed makes a source of a parser and a function that stores its value.
func Parsed[T any](name string, parse func(text []byte) (T, error), put func(f *Builder, args []string, v T)) Source {
	return Source{Name: name, Read: func(f *Builder, args []string, text []byte) error {
		v, err := parse(text)
		var part Partial
		if err == nil || errors.As(err, &part) {
			put(f, args, v)
		}
		return err
	}}
}

// OrElse stores the reason if the source could not be read.
func (s Source) OrElse(missing func(f *Builder, args []string, why string)) Source {
	s.Missing = missing
	return s
}

// On restricts a source to a system: several systems may have a command with different outputs.
func (s Source) On(os string) Source {
	s.OS = os
	return s
}

// KeptAs describes a file that was saved by hand: the words at the start of its name, and the form of its text (empty:
// only its name identifies it).
func (s Source) KeptAs(words, looks string) Source {
	s.Words = strings.Fields(words)
	if looks != "" {
		s.Looks = lazyregexp.New(looks)
	}
	return s
}

// Match compares a name with a pattern, and returns the values of its stars.
func Match(pattern, name string) (args []string, ok bool) {
	for {
		before, after, star := strings.Cut(pattern, "*")
		if !strings.HasPrefix(name, before) {
			return nil, false
		}
		name = name[len(before):]
		if !star {
			return args, name == ""
		}
		n := strings.IndexAny(name, "/ ")
		if n < 0 {
			n = len(name)
		}
		if n == 0 || name[0] == '-' { // no interface has the name of an option
			return nil, false
		}
		args, name, pattern = append(args, name[:n]), name[n:], after
	}
}
