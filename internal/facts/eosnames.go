package facts

import (
	"strings"

	"linerate/internal/base/lazyregexp"
)

var eosShort = lazyregexp.New(`^(Et|Ma|Po|Vl|Lo|Vx)(\d\S*)$`)

// eosName is the whole name of a port that EOS writes short in its tables: Ethernet3/1/1 of Et3/1/1.
func eosName(s string) string {
	m := eosShort.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	return map[string]string{"Et": "Ethernet", "Ma": "Management", "Po": "Port-Channel", "Vl": "Vlan", "Lo": "Loopback", "Vx": "Vxlan"}[m[1]] + m[2]
}

// eosKind is what an interface of that name is.
func eosKind(name string) string {
	for prefix, kind := range map[string]string{"Port-Channel": "bond", "Vlan": "vlan", "Loopback": "loopback", "Vxlan": "vxlan"} {
		if strings.HasPrefix(name, prefix) {
			return kind
		}
	}
	return ""
}

// eosPort returns the interface of that name, short or whole.
func (f *Facts) eosPort(name string) *Interface {
	n := f.nic(eosName(name))
	n.Kind = eosKind(n.Name)
	return n
}

// portDown notes why a switch has taken a port out of service: because of its module, or for another reason, or it does not say why.
func (f *Facts) portDown(port, reason, line string) {
	e := Event{What: PortDisabled, Subject: port, Detail: reason, Proof: f.proof(line)}
	if strings.Contains(reason, "xcvr") {
		e.What = ModuleRefused
	}
	f.happened(e)
}
