package path

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/read"
)

// A NIC of 25 Gb/s behind a riser, as its machine reports it. The rates of the link and the slot are computed by hand.
func TestOfPort(t *testing.T) {
	snapshot := func(speed, now, width string) *facts.Facts {
		f, err := read.Parse(fmt.Appendf(nil, `os linux
-- proc/sys/net/ipv4/tcp_timestamps --
1
-- ip -j link --
[{"ifindex":2,"ifname":"e1","flags":["UP","LOWER_UP"],"mtu":1500,"address":"02:00:00:00:00:01"}]
-- ethtool e1 --
Settings for e1:
	Speed: %s
	Duplex: Full
-- readlink -f /sys/class/net/e1/device --
/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0
-- grep -r . /sys/bus/pci/devices/0000:00:01.0 --
/sys/bus/pci/devices/0000:00:01.0/class:0x060400
/sys/bus/pci/devices/0000:00:01.0/current_link_speed:%[2]s
/sys/bus/pci/devices/0000:00:01.0/current_link_width:%[3]s
/sys/bus/pci/devices/0000:00:01.0/max_link_speed:16.0 GT/s PCIe
/sys/bus/pci/devices/0000:00:01.0/max_link_width:16
-- grep -r . /sys/bus/pci/devices/0000:01:00.0 --
/sys/bus/pci/devices/0000:01:00.0/class:0x020000
/sys/bus/pci/devices/0000:01:00.0/current_link_speed:%[2]s
/sys/bus/pci/devices/0000:01:00.0/current_link_width:%[3]s
/sys/bus/pci/devices/0000:01:00.0/max_link_speed:8.0 GT/s PCIe
/sys/bus/pci/devices/0000:01:00.0/max_link_width:8
`, speed, now, width))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	of := func(f *facts.Facts) *Port {
		nic := f.NIC("e1")
		return OfPort(f, nic, f.PCIeHops(nic.PCI))
	}
	p := of(snapshot("25000Mb/s", "8.0 GT/s PCIe", "8"))
	if got, want := float64(p.Link.Rate.Or(0)), 25e9*1448/1538; math.Abs(got-want) > 1 || len(p.Bus) != 1 {
		t.Errorf("the link: %v, want %v; %+v", got, want, p)
	}
	if least, all := p.Narrowest(); least != &p.Link || !all {
		t.Errorf("the narrowest: %+v, %t", least, all)
	}
	// PCIe 1.1 x8: 16 Gb/s after line coding, times the share of packets as in ceiling.PCIeWrite, times that of the frame.
	p = of(snapshot("25000Mb/s", "2.5 GT/s PCIe", "8"))
	symbols := math.Trunc((256+28)*2.5/8) + 19
	want := 16e9 * (1 - 2*8/symbols - 4.0/1538) * 256 / 280 * 1448 / 1514
	least, all := p.Narrowest()
	if least == nil || !all || math.Abs(float64(least.Rate.Or(0))-want) > 1 || least.Kind != "pcie" ||
		!strings.Contains(least.Component, "0000:01:00.0") {
		t.Errorf("the slot, want %v; %+v", want, least)
	}
	p = of(snapshot("Unknown!", "Unknown", "8"))
	if least, all := p.Narrowest(); least != nil || all || p.Link.Why == "" || p.Bus[0].Why == "" {
		t.Errorf("nothing is known: %+v", p)
	}
	p = of(snapshot("Unknown!", "8.0 GT/s PCIe", "4"))
	if least, all := p.Narrowest(); least != &p.Bus[0] || all {
		t.Errorf("the link alone is not known: %+v", p)
	}
}
