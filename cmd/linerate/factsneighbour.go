package main

import (
	"cmp"
	"fmt"
	"strings"

	"linerate/internal/facts"
)

// mostNeighbours is how many neighbours of one port are told: several are heard only through a bridge that forwards LLDP.
const mostNeighbours = 3

// neighbourText is who was heard at the other end of a port's cable; empty: nobody was asked, and it is not known why.
func neighbourText(f *facts.Facts, n *facts.Interface) string {
	switch {
	case n.LLDP == nil && f.LLDPWhy == "":
		return ""
	case n.LLDP == nil:
		return notKnown(f.LLDPWhy)
	case len(n.LLDP) == 0:
		return "nobody speaks LLDP there"
	}
	var list []string
	for _, h := range n.LLDP {
		text := cmp.Or(h.System, h.Chassis.Value, "one without a name")
		port := h.Port.Value
		if port != "" && h.PortDescription != "" && h.PortDescription != port {
			port += " (" + h.PortDescription + ")"
		}
		if port = cmp.Or(port, h.PortDescription); port != "" {
			text += ", port " + port
		}
		list = append(list, text)
	}
	if more := len(list) - mostNeighbours; more > 0 {
		list = append(list[:mostNeighbours], fmt.Sprintf("%d more", more))
	}
	return strings.Join(list, "; ")
}
