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
