package facts

import (
	"errors"
	"slices"
	"strings"
)

// source is a file or command output of which captures are made: its name, in
// which each * stands for one word or path element, and how its text becomes
// facts. args are what the stars stand for.
type source struct {
	name    string
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

// find returns the source of that name and what its stars stand for.
func find(table []source, name string) (source, []string, bool) {
	name = canonical(name)
	for _, s := range table {
		if args, ok := match(s.name, name); ok {
			return s, args, true
		}
	}
	return source{}, nil, false
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
	tool := words[0][strings.LastIndexByte(words[0], '/')+1:]
	rest := words[1:]
	switch {
	case tool == "ip" && len(rest) > 0:
		rest = slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.HasPrefix(w, "-") })
		return strings.Join(append([]string{"ip"}, object(rest, "link", "address", "route", "rule")...), " ")
	case tool == "tc" && len(rest) > 0:
		rest = slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.HasPrefix(w, "-") })
		return strings.Join(append([]string{"tc"}, object(rest, "qdisc", "class")...), " ")
	case tool == "ethtool" && len(rest) == 2:
		return "ethtool " + shortFlag(rest[0]) + " " + rest[1]
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

func shortFlag(flag string) string {
	switch flag {
	case "--show-features", "--show-offload":
		return "-k"
	case "--driver":
		return "-i"
	case "--statistics":
		return "-S"
	case "--show-channels":
		return "-l"
	}
	return flag
}
