package check

import (
	"testing"

	"linerate/internal/base/unit"
)

// Names of pci.ids as lspci and pciconf print them, and how FreeBSD's drivers call their cards.
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
		if got := rateOf(name); got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
}
