package loopback

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// The commands that restore a port by hand are printed before, for everything that it has.
func TestCommands(t *testing.T) {
	p := Port{
		Name: "e0",
		MTU:  9000,
		Up:   true,
		NIC:  true,
		Addresses: []PortAddr{
			{Address: netip.MustParsePrefix("10.0.0.5/24"), Broadcast: "10.0.0.255"},
			{Address: netip.MustParsePrefix("10.1.0.1/32"), Peer: "10.1.0.2/32"},
		},
		Routes: []Route{
			{To: "10.8.0.0/16", Gateway: "10.0.0.1", Metric: 50, Table: 254},
			{To: "default", IPv6: true, Gateway: "fd00::1", Table: 77, Source: "fd00::5"},
		},
	}
	want := []string{"ip link set dev e0 mtu 9000 up", "ip address add 10.0.0.5/24 broadcast 10.0.0.255 dev e0",
		"ip address add 10.1.0.1 peer 10.1.0.2/32 dev e0", "ip route add 10.8.0.0/16 via 10.0.0.1 dev e0 metric 50",
		"ip -6 route add default via fd00::1 dev e0 src fd00::5 table 77"}
	if got := p.Commands(); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	text := strings.Join(Plan([2]Port{p, {Name: "v0", MTU: 1500, Lost: []string{"the queue discipline tbf"}}}), "\n")
	for _, part := range []string{"e0 is put back as it is: MTU 9000, up, 10.0.0.5/24, 10.1.0.1/32, a route to " +
		"10.8.0.0/16, the default route",
		"v0 is put back as it is: MTU 1500, down", "v0: not put back: the queue discipline tbf",
		"brings e0 back, down and without addresses; then by hand: " + want[0], "v0 is not a NIC"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}
