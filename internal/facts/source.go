package facts

import (
	"errors"
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// source is a file or command output of which captures are made: its name, in
// which each * stands for one word or path element, and how its text becomes
// facts. args are what the stars stand for.
type source struct {
	name    string
	os      string             // that it is of; empty: of several
	words   []string           // that the name of a file begins with which somebody kept by hand
	ofFile  bool               // its star is the name of the file that was kept
	end     string             // of a kept file's name, without which its text does not tell
	looks   *lazyregexp.Regexp // what its text looks like; nil: it is known by its name alone
	read    func(f *Facts, args []string, text []byte) error
	missing func(f *Facts, args []string, why string) // stores why its facts are unknown; may be nil
}

// parsed makes a source of a parser, and of what stores its value.
func parsed[T any](name string, parse func(text []byte) (T, error), put func(f *Facts, args []string, v T)) source {
	return source{name: name, read: func(f *Facts, args []string, text []byte) error {
		v, err := parse(text)
		var part partial
		if err == nil || errors.As(err, &part) {
			put(f, args, v)
		}
		return err
	}}
}

// orElse says where the reason goes when the source could not be read.
func (s source) orElse(missing func(f *Facts, args []string, why string)) source {
	s.missing = missing
	return s
}

// on says which system a source is of: a command may be one of several systems, with another output in each.
func (s source) on(os string) source {
	s.os = os
	return s
}

// keptAs says how a file is recognised that somebody kept by hand: by the words that its name begins with, or by what its text
// looks like (empty: by its name alone).
func (s source) keptAs(words, looks string) source {
	s.words = strings.Fields(words)
	if looks != "" {
		s.looks = lazyregexp.New(looks)
	}
	return s
}

// find returns the source of that name and what its stars stand for. Where several systems have a command of that name, that of
// the system counts, else what the text looks like; an empty text is of the first.
func find(table []source, name, os string, text []byte) (source, []string, bool) {
	name = canonical(name)
	var found []source
	var stars [][]string
	for _, s := range table {
		if args, ok := match(s.name, name); ok && (s.os == "" || os == "" || s.os == os) {
			found, stars = append(found, s), append(stars, args)
		}
	}
	if len(found) == 0 {
		return source{}, nil, false
	}
	if found[0].os != "" && os == "" { // of several systems, as it seems
		for i, s := range found {
			if s.looks != nil && s.looks.Match(text) {
				return s, stars[i], true
			}
		}
	}
	return found[0], stars[0], true
}

// match matches a name against a pattern, and returns what its stars stand for.
func match(pattern, name string) (args []string, ok bool) {
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
		if n == 0 || name[0] == '-' { // no interface is named like an option
			return nil, false
		}
		args, name, pattern = append(args, name[:n]), name[n:], after
	}
}

// canonical brings the ways to write one command into the form of the table:
// "sudo /sbin/ip -s -d link show" is "ip link". Paths lose their leading slash.
func canonical(name string) string {
	words := strings.Fields(name)
	for len(words) > 1 && (words[0] == "sudo" || words[0] == "cat" || words[0] == "$" || words[0] == "#") {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	for _, of := range canonicals() {
		if name, ok := of(words); ok {
			return name
		}
	}
	tool := words[0][strings.LastIndexByte(words[0], '/')+1:]
	rest := words[1:]
	switch {
	case tool == "ip" && len(rest) > 0:
		rest = slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.HasPrefix(w, "-") })
		return strings.Join(append([]string{"ip"}, object(rest, "link", "address", "route", "rule", "neighbour")...), " ")
	case tool == "tc" && len(rest) > 0:
		rest = slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.HasPrefix(w, "-") })
		return strings.Join(append([]string{"tc"}, object(rest, "qdisc", "class")...), " ")
	case tool == "ethtool":
		return ethtoolCommand(rest)
	case tool == "ss", tool == "ibv_devinfo", tool == "lsmod", tool == "pciconf", tool == "lspci" && devicesOfLspci(rest):
		return tool
	case tool == "grep":
		return strings.TrimSuffix(tool+" "+strings.Join(rest, " "), "/")
	case tool == "sysctl":
		return "sysctl"
	case len(rest) == 0:
		return strings.TrimPrefix(words[0], "/")
	}
	return strings.Join(words, " ")
}

// devicesOfLspci says whether lspci's arguments leave its usual output: not the tree of -t, nor the forms of -m, nor what
// another program left of it.
func devicesOfLspci(arguments []string) bool {
	for _, a := range arguments {
		if strings.ContainsRune(a, '|') || strings.Trim(a, "-vmntkxDq") == "" && strings.ContainsAny(a, "tm") {
			return false
		}
	}
	return true
}

// object spells out an abbreviated object of ip or tc and drops show and what
// only narrows it, except the device where the output then does not repeat it.
// Another table than main is another source, and so is "route get".
func object(words []string, objects ...string) []string {
	if len(words) == 0 {
		return nil
	}
	for _, o := range objects {
		if strings.HasPrefix(o, words[0]) {
			options := pairs(words)
			if table := options["table"]; table != "" && table != "main" || len(words) > 1 && words[1] == "get" {
				return words
			}
			if dev := options["dev"]; dev != "" && (o == "class" || o == "qdisc" || o == "route") {
				return []string{o, dev}
			}
			return []string{o}
		}
	}
	return words
}
