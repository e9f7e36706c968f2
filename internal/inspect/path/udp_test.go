package path

import (
	"math"
	"net/netip"
	"testing"
)

// TestUDPGolden holds the limit of a chain against rate x size / (size + 28 + 38), and the shaper's rate x size /
// (size + 28 + 14).
func TestUDPGolden(t *testing.T) {
	for name, c := range map[string]struct {
		mtu, size  int
		direction  string
		conditions Conditions
		want       float64
		component  string
	}{
		"full packets":         {1500, 0, "out", Conditions{}, 10e9 * 1472 / 1538, "link a.x--b.x"},
		"both ways":            {1500, 0, "both", Conditions{}, 20e9 * 1472 / 1538, "link a.x--b.x"},
		"jumbo":                {9000, 0, "out", Conditions{}, 10e9 * 8972 / 9038, "link a.x--b.x"},
		"one end keeps 1500":   {9000, 0, "out", Conditions{From: host(9000, true), To: host(1500, true)}, 10e9 * 1472 / 1538, "link a.x--b.x"},
		"512":                  {1500, 512, "in", Conditions{}, 10e9 * 512 / 578, "link a.x--b.x"},
		"tagged":               {1500, 0, "out", Conditions{VLAN: true}, 10e9 * 1472 / 1542, "link a.x--b.x"},
		"a tenth in the lab":   {1500, 0, "out", Conditions{Lab: true, Scale: 0.1}, 1e9 * 1472 / 1538, "link a.x--b.x"},
		"the lab's own shaper": {1500, 0, "out", Conditions{Lab: true, Scale: 0.1, From: host(1500, true, tbf(1e9*1514/1538.0))}, 1e9 * 1472 / 1538, "link a.x--b.x"},
		"a shaper at 300 Mb/s": {1500, 0, "out", Conditions{Lab: true, Scale: 0.1, From: host(1500, true, tbf(300e6))}, 300e6 * 1472 / 1514, "tbf on x of a"},
	} {
		chain := UDP(twoHosts(c.mtu), c.direction, c.size, c.conditions)
		if got := float64(chain.Limit); math.Abs(got-c.want) > c.want*1e-4 || chain.Component != c.component || chain.Transport != "udp" {
			t.Errorf("%s: %v by %q (%s), want %v by %q", name, got, chain.Component, chain.Transport, c.want, c.component)
		}
	}
	p := twoHosts(1500)
	p.FromPort.Address, p.ToPort.Address = netip.MustParsePrefix("fd00::1/64"), netip.MustParsePrefix("fd00::2/64")
	if got := UDP(p, "out", 0, Conditions{}).Limit; math.Abs(float64(got)-10e9*1452/1538) > 1e6 {
		t.Errorf("IPv6: %v", got)
	}
}
