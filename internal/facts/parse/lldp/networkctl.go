package lldp

import (
	"slices"
	"strings"
	"unicode"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// networkctlSource is the neighbours of systemd-networkd.
func networkctlSource() parse.Source {
	return parse.Source{Name: "networkctl lldp", OS: "linux",
		Read: ReadNetworkctl}.OrElse(missingLLDP).KeptAs("networkctl lldp", `(?m)^LINK +.*CHASSIS-ID .*PORT-ID\b`)
}

// networkctlCommand converts commands for systemd-networkd's neighbours to the form of the table.
func networkctlCommand(rest []string) (string, bool) {
	rest = slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.HasPrefix(w, "-") })
	if len(rest) > 0 && rest[0] == "lldp" { // interfaces follow
		return "networkctl lldp", true
	}
	return "", false
}

// ReadNetworkctl reads the table of "networkctl lldp". Its columns are aligned with their headers, with one blank
// between, and omit the kinds of identities. networkd only receives routers and switches unless LLDP=yes is set, and
// not on every interface: a missing neighbour is unknown. The form with --json of later releases is not read. Format:
// systemd's src/network/networkctl-lldp.c. Snapshot: systemd 252.
func ReadNetworkctl(f *parse.Builder, _ []string, text []byte) error {
	var headers []string
	var from []int
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		runes := []rune(line)
		if fields := strings.Fields(line); headers == nil {
			if !slices.Contains(fields, "LINK") || !slices.Contains(fields, "PORT-ID") {
				continue
			}
			headers = fields
			for i, r := range runes {
				if !unicode.IsSpace(r) && (i == 0 || unicode.IsSpace(runes[i-1])) {
					from = append(from, i)
				}
			}
			continue
		}
		if len(runes) == 0 { // the legend follows
			break
		}
		field := map[string]string{}
		for i, h := range headers {
			end := len(runes)
			if i+1 < len(headers) {
				end = min(end, from[i+1])
			}
			if from[i] < end {
				if v := strings.TrimSpace(string(runes[from[i]:end])); v != "-" && v != "n/a" {
					field[h] = v
				}
			}
		}
		if field["LINK"] == "" || strings.Contains(field["LINK"], " ") || field["CHASSIS-ID"] == "" {
			continue
		}
		f.Heard(field["LINK"], facts.LLDPNeighbour{Chassis: ID("", field["CHASSIS-ID"]), Port: ID("", field["PORT-ID"]),
			System: field["SYSTEM-NAME"], Description: field["SYSTEM-DESCRIPTION"], PortDescription: field["PORT-DESCRIPTION"],
			Via: "LLDP", Proof: f.Proof(line)})
	}
	if headers == nil {
		return parse.ToolError(text)
	}
	return nil
}
