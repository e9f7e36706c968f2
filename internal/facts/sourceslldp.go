package facts

import (
	"slices"
	"strings"
)

// lldpSources are the programs that say who is at the other end of a cable: of lldpd, systemd-networkd and lldpad.
func lldpSources() []source {
	return append(lldpctlSources(), networkctlSource(),
		source{name: "lldptool -n *", read: readLLDPToolHeard}.keptAs("lldptool t n i", `(?m)^Chassis ID TLV\r?\n\s`),
	)
}

// canonicalLLDP brings the commands of lldpSources into the form of their names.
func canonicalLLDP(words []string) (string, bool) {
	tool, rest := baseName(words[0]), words[1:]
	switch tool {
	case "lldpctl", "lldpcli":
		return lldpctlCommand(tool, rest)
	case "networkctl":
		return networkctlCommand(rest)
	case "lldptool":
		o := options(rest)
		heard := slices.ContainsFunc(rest, func(w string) bool {
			return w == "-n" || w == "-tn" || w == "-nt" || w == "get-tlv" && strings.Contains(strings.Join(rest, " "), " -n")
		})
		if heard && o["i"] != "" && o["V"] == "" {
			return "lldptool -n " + o["i"], true
		}
	}
	return "", false
}
