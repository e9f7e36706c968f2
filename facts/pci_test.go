package facts

import (
	"fmt"
	"strings"
	"testing"
)

func TestPCIeHops(t *testing.T) {
	f := new(Facts)
	for _, s := range []string{
		"/sys/bus/pci/devices/0000:00:01.0/class:0x060400\n/sys/bus/pci/devices/0000:00:01.0/max_link_speed:8.0 GT/s PCIe\n/sys/bus/pci/devices/0000:00:01.0/max_link_width:16\n",
		"/sys/bus/pci/devices/0000:01:00.0/class:0x060400\n/sys/bus/pci/devices/0000:01:00.0/current_link_speed:8.0 GT/s PCIe\n/sys/bus/pci/devices/0000:01:00.0/current_link_width:4\n" +
			"/sys/bus/pci/devices/0000:01:00.0/max_link_speed:8.0 GT/s PCIe\n/sys/bus/pci/devices/0000:01:00.0/max_link_width:4\n",
		"/sys/bus/pci/devices/0000:02:00.0/class:0x060400\n",
		"/sys/bus/pci/devices/0000:03:00.0/class:0x020000\n/sys/bus/pci/devices/0000:03:00.0/current_link_width:0\n",
	} {
		if err := readPCI(f, nil, []byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	putNICDevice(f, []string{"e1"}, "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0/virtio2")
	hops := f.PCIeHops(f.NIC("e1").PCI)
	var names []string
	for _, h := range hops {
		names = append(names, h.Where())
	}
	// The switch's inside, 01:00.0 to 02:00.0, is no link.
	if got := strings.Join(names, "; "); got != "link 0000:02:00.0 to 0000:03:00.0; link 0000:00:01.0 to 0000:01:00.0" {
		t.Error(got)
	}
	if _, _, ok := hops[0].Links(); ok {
		t.Error("a link whose ends say nothing is known")
	}
	can, now, ok := hops[1].Links()
	if !ok || can != now || now.String() != "PCIe 3.0 x4 (8 GT/s)" || fmt.Sprint(now.Rate()) != "31.5 Gb/s" {
		t.Errorf("%v %v %v %v", can, now, now.Rate(), ok)
	}
	for l, want := range map[PCIeLink]string{{2.5, 8}: "16.0 Gb/s", {16, 8}: "126 Gb/s", {8, 8}: "63.0 Gb/s"} {
		if got := fmt.Sprint(l.Rate()); got != want {
			t.Errorf("%v: %s, want %s", l, got, want)
		}
	}
	if got := new(Facts).PCIeHops("0000:09:00.0"); got != nil {
		t.Errorf("of nothing: %v", got)
	}
	loop := &Facts{PCI: []PCIDevice{{Address: "0000:01:00.0", Above: "0000:02:00.0"}, {Address: "0000:02:00.0", Above: "0000:01:00.0"}}}
	loop.PCIeHops("0000:01:00.0") // ends
}

func FuzzPCI(f *testing.F) {
	f.Add("/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0", "/sys/bus/pci/devices/0000:01:00.0/max_link_speed:8.0 GT/s PCIe\n/sys/bus/pci/devices/0000:01:00.0/max_link_width:4\n")
	f.Add("/0000:01:00.0/0000:01:00.0", "/sys/bus/pci/devices/0000:01:00.0/current_link_speed:1e9 GT/s\n")
	f.Fuzz(func(t *testing.T, path, text string) {
		v := new(Facts)
		_ = readPCI(v, nil, []byte(text))
		putNICDevice(v, []string{"e1"}, path)
		for _, h := range v.PCIeHops(v.NIC("e1").PCI) {
			h.Links()
			h.Where()
		}
	})
}

func TestLspci(t *testing.T) {
	// In the shape of linux/lspci-vvvxxx--pciutils-cap-aer-root.txt and lspci-nn--i40e-20.txt, reduced.
	devices, err := parseLspci([]byte("00:02.0 PCI bridge: Intel Corporation Haswell-E PCI Express Root Port 2 (rev 02) (prog-if 00 [Normal decode])\n" +
		"\tBus: primary=00, secondary=03, subordinate=03, sec-latency=0\n\tCapabilities: [90] Express (v2) Root Port (Slot-), MSI 00\n\t\tDevCap:\tMaxPayload 256 bytes, PhantFunc 0\n" +
		"\t\tDevCtl:\tReport errors: Correctable-\n\t\t\tMaxPayload 128 bytes, MaxReadReq 128 bytes\n\t\tLnkCap:\tPort #3, Speed 8GT/s, Width x8, ASPM L1\n\t\tLnkSta:\tSpeed 8GT/s, Width x4, TrErr-\n" +
		"00: 86 80 04 2f 07 00 10 00 02 00 04 06 10 00 81 00\n\n" +
		"03:00.0 Ethernet controller [0200]: Intel Corporation Ethernet Controller X710 for 10GbE SFP+ [8086:1572] (rev 02)\n\tNUMA node: 1\n\tLnkSta:\tSpeed unknown, Width x4\n\tKernel driver in use: i40e\n" +
		"0001:04:00.0 0200: 15b3:1017\n"))
	if err != nil || len(devices) != 3 {
		t.Fatal(err, devices)
	}
	root, card, other := devices[0], devices[1], devices[2]
	if !root.Bridge() || root.Kind != "Root Port" || root.Payload.Or(0) != 128 || root.MaxPayload.Or(0) != 256 || root.MaxWidth.Or(0) != 8 || root.Width.Or(0) != 4 || root.Speed.Or(0) != 8 {
		t.Errorf("%+v", root)
	}
	if card.Above != "0000:00:02.0" || card.Vendor != "8086" || card.Driver != "i40e" || card.NUMA.Or(0) != 1 || card.Speed.IsKnown() || card.Bridge() || card.Name != "Intel Corporation Ethernet Controller X710 for 10GbE SFP+ [8086:1572]" {
		t.Errorf("%+v", card)
	}
	if other.Address != "0001:04:00.0" || other.Class != "0200" {
		t.Errorf("%+v", other)
	}
	if _, err := parseLspci([]byte("lspci: command not found\n")); err == nil {
		t.Error("a refusal is read")
	}
}

func FuzzLspci(f *testing.F) {
	f.Add([]byte("03:00.0 Ethernet controller [0200]: X [8086:1572]\n\tBus: primary=00, secondary=03\n\tLnkCap:\tPort #0, Speed 8GT/s, Width x4\n\tDevCap:\tMaxPayload 256 bytes\n"))
	fuzz(f, "lspci", parseLspci, func(t *testing.T, v []PCIDevice) {
		all := new(Facts)
		putLspci(all, nil, v)
		for _, d := range all.PCI {
			all.PCIeHops(d.Address)
		}
	})
}

func FuzzRecognise(f *testing.F) {
	f.Add("lspci-vvv.txt", []byte("hello"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		FromKept("host", map[string][]byte{name: text}, []string{name})
	})
}
