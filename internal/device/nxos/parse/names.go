package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// portNames is a pattern of NX-OS's interface names, full or short.
const portNames = `(?:Ethernet|Eth|mgmt|port-channel|Po|Vlan|loopback|Lo|nve|Tunnel|fc|vfc|Vethernet|Veth)\d[\d/.]*`

var shortName = lazyregexp.New(`^(Eth|Po|Lo|Veth)(\d\S*)$`)

// portName returns the full name of a port that NX-OS abbreviates in tables: Ethernet1/1 of Eth1/1.
func portName(s string) string {
	m := shortName.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	return map[string]string{"Eth": "Ethernet", "Po": "port-channel", "Lo": "loopback", "Veth": "Vethernet"}[m[1]] + m[2]
}

// kindOf returns the kind of interface of a name; empty for a port.
func kindOf(name string) string {
	for prefix, kind := range map[string]string{"port-channel": "bond", "Vlan": "vlan", "loopback": "loopback",
		"nve": "vxlan", "Tunnel": "tunnel"} {
		if strings.HasPrefix(name, prefix) {
			return kind
		}
	}
	return ""
}

// port returns the interface of a name, short or full.
func port(f *parse.Builder, name string) *facts.Interface {
	n := f.Interface(portName(name))
	n.Kind = kindOf(n.Name)
	return n
}
