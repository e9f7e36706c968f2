package pci

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

func TestPCIeHops(t *testing.T) {
	f := parse.NewBuilder(new(facts.Facts))
	for _, s := range []string{
		"/sys/bus/pci/devices/0000:00:01.0/class:0x060400\n/sys/bus/pci/devices/0000:00:01.0/max_link_speed:8.0 GT/s " +
			"PCIe\n/sys/bus/pci/devices/0000:00:01.0/max_link_width:16\n",
		"/sys/bus/pci/devices/0000:01:00.0/class:0x060400\n/sys/bus/pci/devices/0000:01:00.0/current_link_speed:8.0 GT/s " +
			"PCIe\n/sys/bus/pci/devices/0000:01:00.0/current_link_width:4\n" +
			"/sys/bus/pci/devices/0000:01:00.0/max_link_speed:8.0 GT/s " +
			"PCIe\n/sys/bus/pci/devices/0000:01:00.0/max_link_width:4\n",
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
	// The inside of the switch, 01:00.0 to 02:00.0, is not a link.
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
	for l, want := range map[facts.PCIeLink]string{{Speed: 2.5, Width: 8}: "16.0 Gb/s",
		{Speed: 16, Width: 8}: "126 Gb/s", {Speed: 8, Width: 8}: "63.0 Gb/s"} {
		if got := fmt.Sprint(l.Rate()); got != want {
			t.Errorf("%v: %s, want %s", l, got, want)
		}
	}
	if got := parse.NewBuilder(new(facts.Facts)).PCIeHops("0000:09:00.0"); got != nil {
		t.Errorf("of nothing: %v", got)
	}
	loop := &facts.Facts{PCI: []facts.PCIDevice{{Address: "0000:01:00.0", Above: "0000:02:00.0"},
		{Address: "0000:02:00.0", Above: "0000:01:00.0"}}}
	loop.PCIeHops("0000:01:00.0") // ends
}

func TestLspci(t *testing.T) {
	// In the shape of linux/lspci-vvvxxx--pciutils-cap-aer-root.txt and lspci-nn--i40e-20.txt, reduced.
	devices, err := parseLspci([]byte("00:02.0 PCI bridge: Intel Corporation Haswell-E PCI Express Root Port 2 (rev " +
		"02) (prog-if 00 [Normal decode])\n" +
		"\tBus: primary=00, secondary=03, subordinate=03, sec-latency=0\n\tCapabilities: [90] Express (v2) Root Port " +
		"(Slot-), MSI 00\n\t\tDevCap:\tMaxPayload 256 bytes, PhantFunc 0\n" +
		"\t\tDevCtl:\tReport errors: Correctable-\n\t\t\tMaxPayload 128 bytes, MaxReadReq 128 bytes\n\t\tLnkCap:\tPort " +
		"#3, Speed 8GT/s, Width x8, ASPM L1\n\t\tLnkSta:\tSpeed 8GT/s, Width x4, TrErr-\n" +
		"00: 86 80 04 2f 07 00 10 00 02 00 04 06 10 00 81 00\n\n" +
		"03:00.0 Ethernet controller [0200]: Intel Corporation Ethernet Controller X710 for 10GbE SFP+ [8086:1572] (rev " +
		"02)\n\tNUMA node: 1\n\tLnkSta:\tSpeed unknown, Width x4\n\tKernel driver in use: i40e\n" +
		"0001:04:00.0 0200: 15b3:1017\n"))
	if err != nil || len(devices) != 3 {
		t.Fatal(err, devices)
	}
	root, nic, other := devices[0], devices[1], devices[2]
	if !root.Bridge() || root.Kind != "Root Port" || root.Payload.Or(0) != 128 || root.MaxPayload.Or(0) != 256 ||
		root.MaxWidth.Or(0) != 8 || root.Width.Or(0) != 4 || root.Speed.Or(0) != 8 {
		t.Errorf("%+v", root)
	}
	if nic.Above != "0000:00:02.0" || nic.Vendor != "8086" || nic.Driver != "i40e" || nic.NUMA.Or(0) != 1 ||
		nic.Speed.IsKnown() || nic.Bridge() ||
		nic.Name != "Intel Corporation Ethernet Controller X710 for 10GbE SFP+ [8086:1572]" {
		t.Errorf("%+v", nic)
	}
	if other.Address != "0001:04:00.0" || other.Class != "0200" {
		t.Errorf("%+v", other)
	}
	if _, err := parseLspci([]byte("lspci: command not found\n")); err == nil {
		t.Error("a refusal is read")
	}
}

func TestPciconf(t *testing.T) {
	// In the shape of freebsd/hosts/*/pciconf-lvc--bsdhw.txt, reduced: two ports that lead to buses 1 and 2, a second
	// root.
	port := func(name, at, now string) string {
		return name + "@pci0:" + at + ":\tclass=0x060400 card=0x0 chip=0x19018086 rev=0x07 hdr=0x01\n    cap 10[a0] = " +
			"PCI-Express 2 root port max data 256(256)\n                 link " + now + "\n"
	}
	nic := func(name, at, now string) string {
		return name + "@pci0:" + at + ":\tclass=0x020000 rev=0x00 hdr=0x00 vendor=0x15b3 device=0x1003 subvendor=0x1 " +
			"subdevice=0x2\n    vendor     = 'Mellanox Technologies'\n    device     = 'MT27500 Family [ConnectX-3]'\n" +
			"    cap 10[60] = PCI-Express 2 endpoint max data 128(512) FLR\n                 link " + now +
			"\n    ecap 0001[100] = AER 2 1 fatal 0 non-fatal 2 corrected\n"
	}
	devices, err := parsePciconf([]byte(port("pcib1", "0:1:0",
		"x8(x16) speed 8.0(8.0) ASPM disabled(L0s/L1)") + port("pcib2", "0:28:0", "x4(x4) speed 8.0(8.0)") + port("pcib3",
		"128:2:0", "x8(x16) speed 8.0(8.0)") +
		nic("mlx4_core0", "1:0:0", "x8(x8) speed 8.0(8.0) ASPM disabled(L0s)") + nic("none3", "2:0:0",
		"x4(x8) speed 8.0(8.0)") + nic("ix0", "129:0:0", "x8(x8) speed 8.0(16.0)") + nic("old0", "9:0:0", "x1(x8)")))
	if err != nil || len(devices) != 7 {
		t.Fatal(err, len(devices))
	}
	for i, above := range []string{"", "", "", "0000:00:01.0", "0000:00:1c.0", "0000:80:02.0", ""} {
		if devices[i].Above != above {
			t.Errorf("%s is below %q, want %q", devices[i].Address, devices[i].Above, above)
		}
	}
	d := devices[4]
	if !d.NoDriver || d.Driver != "" || d.Vendor != "15b3" || d.Device != "1003" || d.Kind != "Endpoint" ||
		d.Width.Or(0) != 4 || d.MaxWidth.Or(0) != 8 || d.Payload.Or(0) != 128 || d.MaxPayload.Or(0) != 512 || !d.Fatal ||
		len(d.Corrected) != 2 {
		t.Errorf("%+v", d)
	}
	if old := devices[6]; old.Speed.IsKnown() || old.Width.Or(0) != 1 || devices[3].Driver != "mlx4_core0" ||
		!devices[0].Bridge() {
		t.Errorf("%+v %+v", old, devices[3])
	}
	if can, now, ok := (facts.PCIeHop{Down: &devices[6]}).Alone(); !ok || now.String() != "PCIe x1" || !now.Below(can) ||
		now.Rate() != 0 {
		t.Errorf("%v %v %v", can, now, ok)
	}
}
