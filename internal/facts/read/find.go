package read

import (
	"slices"
	"strings"

	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/ethtool"
)

// Find returns the source of a name and the values of its stars. If several systems have the command, the one of the
// system counts, else the one that the text matches; an empty text is of the first.
func Find(table []parse.Source, name, os string, text []byte) (parse.Source, []string, bool) {
	name = canonical(name)
	var found []parse.Source
	var stars [][]string
	for _, s := range table {
		if args, ok := parse.Match(s.Name, name); ok && (s.OS == "" || os == "" || s.OS == os) {
			found, stars = append(found, s), append(stars, args)
		}
	}
	if len(found) == 0 {
		return parse.Source{}, nil, false
	}
	if found[0].OS != "" && os == "" { // of several systems, it seems
		for i, s := range found {
			if s.Looks != nil && s.Looks.Match(text) {
				return s, stars[i], true
			}
		}
	}
	return found[0], stars[0], true
}

// canonical converts a command to the form of the table: "sudo /sbin/ip -s -d link show" is "ip link". Paths lose their
// leading slash.
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
		return ethtool.Canonical(rest)
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

// devicesOfLspci reports whether lspci's arguments keep its usual output: not the tree of -t, the forms of -m, or a
// part selected by another program.
func devicesOfLspci(arguments []string) bool {
	return !slices.ContainsFunc(arguments, func(a string) bool {
		return strings.ContainsRune(a, '|') || strings.Trim(a, "-vmntkxDq") == "" && strings.ContainsAny(a, "tm")
	})
}

// object expands an abbreviated object of ip or tc and removes show and filters, except the device if the output does
// not repeat it. Tables other than main, and "route get", are other sources.
func object(words []string, objects ...string) []string {
	if len(words) == 0 {
		return nil
	}
	for _, o := range objects {
		if strings.HasPrefix(o, words[0]) {
			options := parse.Pairs(words)
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
