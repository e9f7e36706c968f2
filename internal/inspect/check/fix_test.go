package check

import (
	"net/netip"
	"strings"
	"testing"

	"linerate/internal/facts"
)

// A command is of the host's own system, with every value in it, and a name that a shell would take apart is one word.
func TestCommands(t *testing.T) {
	values := append(routed(netip.MustParsePrefix("10.0.1.0/24"), netip.MustParseAddr("10.0.1.9"), "ix0"),
		"mtu", 9000, "frame", 9014, "address", "10.0.1.1/24", "ip", "10.0.1.1", "bits", 24, "at", "0000:01:00.0")
	for _, c := range []command{interfaceUp, interfaceDown, setMTU, addAddress, delAddress, setRoute, addRoute, delRoute, addRouteVia, delRouteVia,
		negotiate, halfDuplex, offloadsOn, offloadsOff, showOffloads, showLink, showNames, showCards, showLinkCodes, clearErrors, largePackets} {
		for _, system := range []string{"", "linux", "freebsd", "windows", "plan9"} {
			if got := c.on(&Host{Facts: &facts.Facts{OS: system}}, values...); strings.ContainsAny(got, "{}") {
				t.Errorf("%s: %q", system, got)
			}
		}
	}
	for _, c := range []struct {
		system, nic string
		of          command
		want        string
	}{
		{"linux", "eth0", setMTU, "ip link set dev eth0 mtu 9000"},
		{"", "eth0", setMTU, "ip link set dev eth0 mtu 9000"},
		{"freebsd", "mce0.711", setMTU, "ifconfig mce0.711 mtu 9000"},
		{"windows", "SLOT 3", interfaceUp, "Enable-NetAdapter -Name 'SLOT 3'"},
		{"windows", "it's", interfaceUp, "Enable-NetAdapter -Name 'it''s'"},
		{"freebsd", "a;reboot", interfaceUp, "ifconfig 'a;reboot' up"},
		{"linux", "it's", interfaceUp, `ip link set dev 'it'\''s' up`},
		{"freebsd", "ix0", addRoute, "route add -inet 10.0.1.0/24 -interface ix0"},
		{"plan9", "ether 0", setMTU, "set the MTU of ether 0 to 9000"},
	} {
		h := &Host{Facts: &facts.Facts{OS: c.system}}
		if got := c.of.on(h, append([]any{"nic", c.nic}, values...)...); got != c.want {
			t.Errorf("%s: %q, want %q", c.system, got, c.want)
		}
	}
}
