package lldp

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var lldpTLV = lazyregexp.New(`^[A-Z][^:]* TLV$`)

// ReadLLDPToolHeard reads "lldptool -t -n -i X", the neighbour that lldpad received on a port. Several neighbours
// follow each other. No output does not mean that there is no neighbour. Format:
// https://man7.org/linux/man-pages/man8/lldptool.8.html, open-lldp's lldp_basman_clif.c. Snapshots: redhat-cip, and
// lldpad 1.1 in a lab.
//
//	Chassis ID TLV
//		MAC: f8:b1:56:15:e6:c6
//	Port ID TLV
//		Ifname: gi1/1
func ReadLLDPToolHeard(f *parse.Builder, args []string, text []byte) error {
	name := parse.UnnamedPort
	if len(args) > 0 {
		name = args[0]
	}
	var n *facts.LLDPNeighbour
	part := ""
	found := false
	end := func() {
		if n != nil && n.Chassis.Value != "" {
			f.Heard(name, *n)
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
				n = &facts.LLDPNeighbour{Via: "LLDP"}
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
			n.Chassis = ID(kind, id)
		case part == "Port ID" && labelled && n.Port.Value == "":
			n.Port, n.Proof = ID(kind, id), f.Proof(part+": "+value)
		case part == "Time to Live":
			SetTTL(n, value)
		case part == "System Name":
			n.System = facts.OneLine(value)
		case part == "System Description":
			n.Description = facts.OneLine(n.Description + " " + value)
		case part == "Port Description":
			n.PortDescription = facts.OneLine(value)
		case part == "Management Address" && (kind == "IPv4" || kind == "IPv6"):
			AddManagement(n, id)
		}
	}
	end()
	if !found {
		return parse.ToolError(text)
	}
	return nil
}
