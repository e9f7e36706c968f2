package facts

import (
	"strings"

	"linerate/internal/base/lazyregexp"
)

var lldpTLV = lazyregexp.New(`^[A-Z][^:]* TLV$`)

// readLLDPToolHeard reads "lldptool -t -n -i X", what lldpad heard of the neighbour on a port. Of several neighbours there one text
// stands behind the other. That it does not answer is not that nobody spoke.
// Format: https://man7.org/linux/man-pages/man8/lldptool.8.html, open-lldp's lldp_basman_clif.c. Captures: redhat-cip, and lldpad 1.1 in a lab.
//
//	Chassis ID TLV
//		MAC: f8:b1:56:15:e6:c6
//	Port ID TLV
//		Ifname: gi1/1
func readLLDPToolHeard(f *Facts, args []string, text []byte) error {
	name := unnamedPort
	if len(args) > 0 {
		name = args[0]
	}
	var n *LLDPNeighbour
	part := ""
	found := false
	end := func() {
		if n != nil && n.Chassis.Value != "" {
			f.heard(name, *n)
			found = true
		}
		n = nil
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if lldpTLV.MatchString(line) {
			part = strings.TrimSuffix(line, " TLV")
			if part == "Chassis ID" || part == "End of LLDPDU" {
				end()
			}
			if part == "Chassis ID" {
				n = &LLDPNeighbour{Via: "LLDP"}
			}
			continue
		}
		if n == nil || line == "" {
			continue
		}
		value := strings.TrimSpace(line)
		kind, id, labelled := strings.Cut(value, ": ")
		switch {
		case part == "Chassis ID" && labelled && n.Chassis.Value == "":
			n.Chassis = lldpID(kind, id)
		case part == "Port ID" && labelled && n.Port.Value == "":
			n.Port, n.Proof = lldpID(kind, id), f.proof(part+": "+value)
		case part == "Time to Live":
			n.lasts(value)
		case part == "System Name":
			n.System = oneLine(value)
		case part == "System Description":
			n.Description = oneLine(n.Description + " " + value)
		case part == "Port Description":
			n.PortDescription = oneLine(value)
		case part == "Management Address" && (kind == "IPv4" || kind == "IPv6"):
			n.manage(id)
		}
	}
	end()
	if !found {
		return toolError(text)
	}
	return nil
}
