package check

import (
	"net/netip"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// A command is for the host's own system, has every value, and quotes names that a shell would split.
func TestCommands(t *testing.T) {
	values := append(RouteValues(netip.MustParsePrefix("10.0.1.0/24"), netip.MustParseAddr("10.0.1.9"), "ix0"),
		"mtu", 9000, "frame", 9014, "address", "10.0.1.1/24", "ip", "10.0.1.1", "bits", 24, "at", "0000:01:00.0")
	for _, c := range []command{InterfaceUp, InterfaceDown, SetMTU, AddAddress, DelAddress, SetRoute, AddRoute, DelRoute,
		AddRouteVia, DelRouteVia, Negotiate, HalfDuplex, OffloadsOn, OffloadsOff, ShowOffloads, ShowLink, ShowNames, ShowNICs,
		ShowLinkCodes, ClearErrors, LargePackets} {
		for _, system := range []string{"", "linux", "freebsd", "windows", "plan9"} {
			if got := c.On(&Host{Facts: &facts.Facts{OS: system}}, values...); strings.ContainsAny(got, "{}") {
				t.Errorf("%s: %q", system, got)
			}
		}
	}
	for _, c := range []struct {
		system, nic string
		of          command
		want        string
	}{
		{"linux", "eth0", SetMTU, "ip link set dev eth0 mtu 9000"},
		{"", "eth0", SetMTU, "ip link set dev eth0 mtu 9000"},
		{"freebsd", "mce0.711", SetMTU, "ifconfig mce0.711 mtu 9000"},
		{"windows", "SLOT 3", InterfaceUp, "Enable-NetAdapter -Name 'SLOT 3'"},
		{"windows", "it's", InterfaceUp, "Enable-NetAdapter -Name 'it''s'"},
		{"freebsd", "a;reboot", InterfaceUp, "ifconfig 'a;reboot' up"},
		{"linux", "it's", InterfaceUp, `ip link set dev 'it'\''s' up`},
		{"freebsd", "ix0", AddRoute, "route add -inet 10.0.1.0/24 -interface ix0"},
		{"plan9", "ether 0", SetMTU, "set the MTU of ether 0 to 9000"},
	} {
		h := &Host{Facts: &facts.Facts{OS: c.system}}
		if got := c.of.On(h, append([]any{"nic", c.nic}, values...)...); got != c.want {
			t.Errorf("%s: %q, want %q", c.system, got, c.want)
		}
	}
}

// Names of pci.ids as lspci and pciconf print them, and FreeBSD's drivers name their NICs.
func TestRateOf(t *testing.T) {
	for name, want := range map[string]unit.BitRate{
		"RTL8125 2.5GbE Controller":                                             2.5e9,
		"82599ES 10-Gigabit SFI/SFP+ Network Connection":                        10e9,
		"82598EB 10-Gigabit AF Dual Port Network Connection":                    10e9,
		"NetXtreme II BCM57810 10 Gigabit Ethernet":                             10e9,
		"cLOM8214 1/10GbE Controller":                                           10e9,
		"BCM57414 NetXtreme-E 10Gb/25Gb RDMA Ethernet Controller":               25e9,
		"BCM57412 NetXtreme-E 10Gb RDMA Ethernet Controller":                    10e9,
		"BCM57508 NetXtreme-E 10Gb/25Gb/40Gb/50Gb/100Gb/200Gb Ethernet":         0,
		"FastLinQ QL41000 Series 10/25/40/50GbE Controller":                     0,
		"SFC9120 10G Ethernet Controller":                                       10e9,
		"MT26448 [ConnectX EN 10GigE, PCIe 2.0 5GT/s]":                          10e9,
		"MT27520 Family [ConnectX-3 Pro]":                                       0,
		"Ethernet Controller E810-C for QSFP":                                   0,
		"Ethernet Controller XL710 for 40GbE QSFP+":                             40e9,
		"Ethernet Controller E810-XXV for SFP":                                  25e9,
		"I350 Gigabit Network Connection":                                       1e9,
		"LPe35000/LPe36000 Series 32Gb/64Gb Fibre Channel Adapter":              0,
		"RTL8111/8168/8411 PCI Express Gigabit Ethernet Controller":             1e9,
		"Ethernet Connection X552/X557-AT 10GBASE-T":                            10e9,
		"SSD7540 PCIe Gen4 x16 8-Port M.2 NVMe RAID Controller":                 0,
		"AQtion AQC107 NBase-T/IEEE 802.3an Ethernet Controller [Atlantic 10G]": 0,
	} {
		if got := RateOf(name); got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
}
