package lldp

import (
	"slices"
	"strings"

	"linerate/internal/facts/parse"
)

// Sources are the programs that print the devices at the other ends of cables: of lldpd, systemd-networkd and lldpad.
func Sources() []parse.Source {
	return append(lldpctlSources(), networkctlSource(),
		parse.Source{Name: "lldptool -n *", Read: ReadLLDPToolHeard}.KeptAs("lldptool t n i", `(?m)^Chassis ID TLV\r?\n\s`))
}

// Canonical converts the commands of Sources to the form of their names.
func Canonical(words []string) (string, bool) {
	tool, rest := parse.BaseName(words[0]), words[1:]
	switch tool {
	case "lldpctl", "lldpcli":
		return lldpctlCommand(tool, rest)
	case "networkctl":
		return networkctlCommand(rest)
	case "lldptool":
		o := parse.Options(rest)
		heard := slices.ContainsFunc(rest, func(w string) bool {
			return w == "-n" || w == "-tn" || w == "-nt" || w == "get-tlv" && strings.Contains(strings.Join(rest, " "), " -n")
		})
		if heard && o["i"] != "" && o["V"] == "" {
			return "lldptool -n " + o["i"], true
		}
	}
	return "", false
}
