package pci

import (
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/parsetest"
)

func FuzzPCI(f *testing.F) {
	f.Add("/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0",
		"/sys/bus/pci/devices/0000:01:00.0/max_link_speed:8.0 GT/s "+
			"PCIe\n/sys/bus/pci/devices/0000:01:00.0/max_link_width:4\n")
	f.Add("/0000:01:00.0/0000:01:00.0", "/sys/bus/pci/devices/0000:01:00.0/current_link_speed:1e9 GT/s\n")
	f.Fuzz(func(t *testing.T, path, text string) {
		v := parse.NewBuilder(new(facts.Facts))
		_ = readPCI(v, nil, []byte(text))
		putNICDevice(v, []string{"e1"}, path)
		for _, h := range v.PCIeHops(v.NIC("e1").PCI) {
			h.Links()
			h.Where()
		}
	})
}

func FuzzLspci(f *testing.F) {
	f.Add([]byte("03:00.0 Ethernet controller [0200]: X [8086:1572]\n\tBus: primary=00, secondary=03\n\tLnkCap:\tPort " +
		"#0, Speed 8GT/s, Width x4\n\tDevCap:\tMaxPayload 256 bytes\n"))
	parsetest.Fuzz(f, "lspci", parseLspci, func(t *testing.T, v []facts.PCIDevice) {
		all := parse.NewBuilder(new(facts.Facts))
		putPCI(all, nil, v)
		for _, d := range all.PCI {
			all.PCIeHops(d.Address)
		}
	})
}

func FuzzPciconf(f *testing.F) {
	f.Add([]byte("pcib1@pci0:0:1:0:\tclass=0x060400 chip=0x19018086\n    cap 10[a0] = PCI-Express 2 root port max data " +
		"256(256)\n                 link x8(x16) speed 8.0(8.0)\nix0@pci0:1:0:0: class=0x020000 x\n link x8(x8)\n"))
	parsetest.Fuzz(f, "pciconf", parsePciconf, func(t *testing.T, v []facts.PCIDevice) {
		all := parse.NewBuilder(new(facts.Facts))
		putPCI(all, nil, v)
		for _, d := range all.PCI {
			for _, h := range all.PCIeHops(d.Address) {
				h.Links()
			}
		}
	})
}
