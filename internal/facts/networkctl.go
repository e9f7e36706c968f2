package facts

import (
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// networkctlSource is what systemd-networkd has heard.
func networkctlSource() source {
	return source{name: "networkctl lldp", os: "linux", read: readNetworkctl}.orElse(missingLLDP).keptAs("networkctl lldp", `(?m)^LINK +.*CHASSIS-ID .*PORT-ID\b`)
}

// networkctlCommand brings the ways to ask systemd-networkd for neighbours into the form of the table.
func networkctlCommand(rest []string) (string, bool) {
	rest = slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.HasPrefix(w, "-") })
	if len(rest) > 0 && rest[0] == "lldp" { // behind it are interfaces
		return "networkctl lldp", true
	}
	return "", false
}

var networkctlHead = lazyregexp.New(`\S+`)

// readNetworkctl reads the table of "networkctl lldp". Its columns are where their heads are, with one blank between; it does not say of
// which kind an identity is. networkd listens to routers and switches alone unless LLDP=yes is set, and not on every interface: who is
// not in it is not known. The form with --json of later releases is not read.
// Format: systemd's src/network/networkctl-lldp.c. The capture behind it is of systemd 252.
func readNetworkctl(f *Facts, _ []string, text []byte) error {
	var heads []string
	var from []int
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		runes := []rune(line)
		if fields := strings.Fields(line); heads == nil {
			if !slices.Contains(fields, "LINK") || !slices.Contains(fields, "PORT-ID") {
				continue
			}
			heads = fields
			for _, at := range networkctlHead.FindAllStringIndex(line, -1) {
				from = append(from, at[0])
			}
			continue
		}
		if len(runes) == 0 { // the legend follows
			break
		}
		cell := map[string]string{}
		for i, h := range heads {
			end := len(runes)
			if i+1 < len(from) {
				end = min(end, from[i+1])
			}
			if from[i] < end {
				if v := strings.TrimSpace(string(runes[from[i]:end])); v != "-" && v != "n/a" {
					cell[h] = v
				}
			}
		}
		if cell["LINK"] == "" || strings.Contains(cell["LINK"], " ") || cell["CHASSIS-ID"] == "" {
			continue
		}
		f.heard(cell["LINK"], LLDPNeighbour{Chassis: lldpID("", cell["CHASSIS-ID"]), Port: lldpID("", cell["PORT-ID"]), System: cell["SYSTEM-NAME"],
			Description: cell["SYSTEM-DESCRIPTION"], PortDescription: cell["PORT-DESCRIPTION"], Via: "LLDP", Proof: f.proof(line)})
	}
	if heads == nil {
		return toolError(text)
	}
	return nil
}
