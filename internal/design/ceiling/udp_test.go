package ceiling

import (
	"math"
	"testing"

	"linerate/internal/base/unit"
)

func TestUDPMessages(t *testing.T) {
	v4, v6 := Ethernet{MTU: 1500}, Ethernet{MTU: 1500, IPv6: true}
	for _, c := range []struct {
		name   string
		of     func(unit.BitRate, Ethernet, int) (Ceiling, error)
		frame  Ethernet
		size   int
		factor float64
	}{
		{"full", UDPMessages, v4, 1472, 1472.0 / 1538},
		{"full, IPv6", UDPMessages, v6, 1452, 1452.0 / 1538},
		{"full, tagged", UDPMessages, Ethernet{MTU: 1500, VLAN: true}, 1472, 1472.0 / 1542},
		{"jumbo", UDPMessages, Ethernet{MTU: 9000}, 8972, 8972.0 / 9038},
		{"512", UDPMessages, v4, 512, 512.0 / (512 + 28 + 38)},
		{"smallest frame", UDPMessages, v4, 1, 1.0 / 84},
		{"last that is padded", UDPMessages, v4, 17, 17.0 / 84},
		{"last but full", UDPMessages, v4, 18, 18.0 / 84},
		{"first that is not", UDPMessages, v4, 19, 19.0 / 85},
		// 1473 + 8 = 1481 = 1480 + 1: a second fragment of one byte, padded.
		{"one above", UDPMessages, v4, 1473, 1473.0 / (1538 + 84)},
		{"8192 in six", UDPMessages, v4, 8192, 8192.0 / (5*1538 + 800 + 20 + 38)},
		// IPv6: 1500 - 48 = 1452, of which 1448 is a multiple of 8.
		{"IPv6 fragments", UDPMessages, v6, 2000, 2000.0 / (1448 + 48 + 38 + 560 + 48 + 38)},
		{"shaper", UDPMessagesThroughShaper, v4, 1472, 1472.0 / 1514},
		{"shaper, small", UDPMessagesThroughShaper, v4, 1, 1.0 / 43},
	} {
		got, err := c.of(1e9, c.frame, c.size)
		if err != nil || math.Abs(float64(got.Rate)-1e9*c.factor) > 1 {
			t.Errorf("%s: %v (%v), want %v", c.name, got.Rate, err, 1e9*c.factor)
		}
	}
	whole, err := UDPOverEthernet(10e9, v4)
	part, err2 := UDPMessages(10e9, v4, 1472)
	if err != nil || err2 != nil || whole.Rate != part.Rate {
		t.Errorf("full packets: %v and %v, %v %v", whole.Rate, part.Rate, err, err2)
	}
	for _, size := range []int{0, -1, 65508} {
		if _, err := UDPMessages(1e9, v4, size); err == nil {
			t.Errorf("size %d has a ceiling", size)
		}
	}
}
