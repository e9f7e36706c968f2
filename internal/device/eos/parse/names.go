package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var eosShort = lazyregexp.New(`^(Et|Ma|Po|Vl|Lo|Vx)(\d\S*)$`)

// eosName returns the full name of a port that EOS abbreviates in tables: Ethernet3/1/1 of Et3/1/1.
func eosName(s string) string {
	m := eosShort.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	return map[string]string{"Et": "Ethernet", "Ma": "Management", "Po": "Port-Channel", "Vl": "Vlan", "Lo": "Loopback",
		"Vx": "Vxlan"}[m[1]] + m[2]
}

// eosKind returns the kind of interface of a name.
func eosKind(name string) string {
	for prefix, kind := range map[string]string{"Port-Channel": "bond", "Vlan": "vlan", "Loopback": "loopback",
		"Vxlan": "vxlan"} {
		if strings.HasPrefix(name, prefix) {
			return kind
		}
	}
	return ""
}

// eosPort returns the interface of a name, short or full.
func eosPort(f *parse.Builder, name string) *facts.Interface {
	n := f.Interface(eosName(name))
	n.Kind = eosKind(n.Name)
	return n
}

// portDown records why a switch disabled a port: because of its module, for another reason, or unknown.
func portDown(f *parse.Builder, port, reason, line string) {
	e := facts.Event{What: facts.PortDisabled, Subject: port, Detail: reason, Proof: f.Proof(line)}
	if strings.Contains(reason, "xcvr") {
		e.What = facts.ModuleRefused
	}
	f.Happened(e)
}
