package ceiling

import (
	"math"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// near checks that got, rounded to the decimals, is want.
func near(t *testing.T, what string, got, want float64, decimals int) {
	t.Helper()
	if k := math.Pow10(decimals); math.Abs(math.Round(got*k)/k-want) > 1e-9*math.Max(1, want) {
		t.Errorf("%s = %.*f; want %.*f", what, decimals+2, got, decimals, want)
	}
}

func TestTCPOverEthernet(t *testing.T) {
	columns := []Ethernet{
		{MTU: 1500}, {MTU: 1500, Timestamps: true}, {MTU: 1500, Timestamps: true, VLAN: true},
		{MTU: 1500, Timestamps: true, IPv6: true}, {MTU: 9000}, {MTU: 9000, Timestamps: true},
	}
	for _, row := range []struct {
		rate     float64
		want     [6]float64
		mb, mb9k float64
	}{
		{1, [6]float64{0.9493, 0.9415, 0.9390, 0.9285, 0.9914, 0.9900}, 117.7, 123.8},
		{2.5, [6]float64{2.3732, 2.3537, 2.3476, 2.3212, 2.4784, 2.4751}, 294.2, 309.4},
		{10, [6]float64{9.4928, 9.4148, 9.3904, 9.2848, 9.9137, 9.9004}, 1176.9, 1237.6},
		{25, [6]float64{23.7321, 23.5371, 23.4760, 23.2120, 24.7842, 24.7511}, 2942.1, 3093.9},
		{40, [6]float64{37.9714, 37.6593, 37.5616, 37.1391, 39.6548, 39.6017}, 4707.4, 4950.2},
		{56, [6]float64{53.1599, 52.7230, 52.5863, 51.9948, 55.5167, 55.4424}, 6590.4, 6930.3},
		{100, [6]float64{94.9285, 94.1482, 93.9040, 92.8479, 99.1370, 99.0042}, 11768.5, 12375.5},
	} {
		for i, e := range columns {
			c := testenv.Must(TCPOverEthernet(unit.BitRate(row.rate*1e9), e))(t)
			near(t, "TCP "+c.Formula, float64(c.Rate)/1e9, row.want[i], 4)
			switch i {
			case 1:
				near(t, "MB/s 1500", float64(c.Rate)/8e6, row.mb, 1)
			case 5:
				near(t, "MB/s 9000", float64(c.Rate)/8e6, row.mb9k, 1)
			}
		}
	}
}

func TestFormulaText(t *testing.T) {
	c, err := TCPOverEthernet(10e9, Ethernet{MTU: 1500, Timestamps: true, VLAN: true})
	if err != nil || c.Formula != "rate * (mtu - 40 - 12) / (mtu + 38 + 4)" {
		t.Errorf("formula %q, %v", c.Formula, err)
	}
	d := c.With("rate", record.Simulated)
	if d.Inputs[0].Origin != record.Simulated || c.Inputs[0].Origin != record.Declared ||
		d.Inputs[1].Origin != record.Declared {
		t.Errorf("With: %v from %v", d.Inputs, c.Inputs)
	}
}

func TestUDPLayer2PacketRate(t *testing.T) {
	for _, x := range []struct {
		mtu  int
		want float64
	}{{1500, 9.571}, {9000, 9.927}} {
		c := testenv.Must(UDPOverEthernet(10e9, Ethernet{MTU: x.mtu}))(t)
		near(t, "UDP", float64(c.Rate)/1e9, x.want, 3)
	}
	c, _ := UDPOverEthernet(10e9, Ethernet{MTU: 1500})
	near(t, "UDP 1500", float64(c.Rate)/1e9, 9.5709, 4)
	c, _ = UDPOverEthernet(40e9, Ethernet{MTU: 9000})
	near(t, "UDP 40G 9000", float64(c.Rate)/1e9, 39.71, 2)
	c, _ = Layer2(10e9, Ethernet{MTU: 1500})
	near(t, "layer 2", float64(c.Rate)/1e9, 9.844, 3)
	for _, x := range []struct {
		rate, mtu, want float64
	}{{10, 1500, 812.7}, {10, 9000, 138.3}, {40, 1500, 3251}, {40, 9000, 553}, {100, 1500, 8127}} {
		p := testenv.Must(PacketRate(unit.BitRate(x.rate*1e9), Ethernet{MTU: int(x.mtu)}))(t)
		decimals := 1
		if x.want == math.Trunc(x.want) {
			decimals = 0
		}
		near(t, "thousand packets", p/1e3, x.want, decimals)
	}
}

func TestShaper(t *testing.T) {
	e := Ethernet{MTU: 1500, Timestamps: true}
	c := testenv.Must(TCPThroughShaper(100e6, e))(t)
	near(t, "tbf 100M", float64(c.Rate)/1e6, 95.641, 3)
	c, _ = TCPThroughShaper(1e9, e)
	near(t, "tbf 1G", float64(c.Rate)/1e6, 956.407, 3)
	// A shaper with ShaperRate has the same ceiling as Ethernet.
	for _, mtu := range []int{68, 576, 1500, 9000, 65535} {
		e := Ethernet{MTU: mtu, Timestamps: true}
		r := testenv.Must(ShaperRate(10e9, mtu))(t)
		a, _ := TCPThroughShaper(r, e)
		b, _ := TCPOverEthernet(10e9, e)
		if math.Abs(float64(a.Rate-b.Rate)) > 1 {
			t.Errorf("MTU %d: shaped %v, wire %v", mtu, float64(a.Rate), float64(b.Rate))
		}
	}
}

func TestBothWays(t *testing.T) {
	for _, x := range []struct {
		e     Ethernet
		ack   int
		every int
		want  float64
	}{
		{Ethernet{MTU: 1500}, 84, 2, 10.0 * 1460 / (1538 + 42)},
		{Ethernet{MTU: 1500, Timestamps: true}, 90, 2, 10.0 * 1448 / (1538 + 45)},
		{Ethernet{MTU: 1500, VLAN: true}, 84, 2, 10.0 * 1460 / (1542 + 42)},
		{Ethernet{MTU: 1500, Timestamps: true, VLAN: true}, 94, 1, 10.0 * 1448 / (1542 + 94)},
		{Ethernet{MTU: 9000, Timestamps: true, IPv6: true}, 110, 7, 10.0 * 8928 / (9038 + 110.0/7)},
	} {
		if got := x.e.AckWire(); got != x.ack {
			t.Errorf("%+v: an acknowledgement takes %d bytes; want %d", x.e, got, x.ack)
		}
		c := testenv.Must(TCPBothWays(10e9, x.e, x.every))(t)
		near(t, "both ways", float64(c.Rate)/1e9, math.Round(x.want*1e6)/1e6, 6)
		one, _ := TCPOverEthernet(10e9, x.e)
		if c.Rate >= one.Rate {
			t.Errorf("%+v: both ways %v is not below one way %v", x.e, c.Rate, one.Rate)
		}
		stated := map[string]bool{}
		for _, in := range c.Inputs {
			stated[in.Name] = in.Origin == record.Assumed
		}
		if !stated["ack"] || !stated["segments_per_ack"] {
			t.Errorf("assumptions are not among the inputs: %v", c.Inputs)
		}
	}
	c := testenv.Must(TCPBothWaysThroughShaper(1e9, Ethernet{MTU: 1500, Timestamps: true}, 2))(t)
	near(t, "both ways, shaped", float64(c.Rate)/1e6, math.Round(1e9*1448/(1514+33)/1e3)/1e3, 3)
}

func TestRefused(t *testing.T) {
	for _, x := range []struct {
		rate  unit.BitRate
		e     Ethernet
		names string
	}{
		{10e9, Ethernet{MTU: 0}, "68"},
		{10e9, Ethernet{MTU: 67}, "RFC 791"},
		{10e9, Ethernet{MTU: 1279, IPv6: true}, "RFC 8200"},
		{10e9, Ethernet{MTU: 65536}, "65535"},
		{10e9, Ethernet{MTU: -1}, "68"},
		{0, Ethernet{MTU: 1500}, "rate"},
		{-1, Ethernet{MTU: 1500}, "rate"},
		{unit.BitRate(math.NaN()), Ethernet{MTU: 1500}, "rate"},
		{unit.BitRate(math.Inf(1)), Ethernet{MTU: 1500}, "rate"},
	} {
		for name, f := range map[string]func() (Ceiling, error){
			"tcp":    func() (Ceiling, error) { return TCPOverEthernet(x.rate, x.e) },
			"both":   func() (Ceiling, error) { return TCPBothWays(x.rate, x.e, 2) },
			"udp":    func() (Ceiling, error) { return UDPOverEthernet(x.rate, x.e) },
			"l2":     func() (Ceiling, error) { return Layer2(x.rate, x.e) },
			"shaper": func() (Ceiling, error) { return TCPThroughShaper(x.rate, x.e) },
		} {
			if c, err := f(); err == nil || !strings.Contains(err.Error(), x.names) || c.Rate != 0 {
				t.Errorf("%s of %v, %+v: %v, %v; want an error with %q", name, float64(x.rate), x.e, c.Rate, err, x.names)
			}
		}
	}
	if _, err := TCPBothWays(10e9, Ethernet{MTU: 1500}, 0); err == nil {
		t.Error("0 segments an acknowledgement passes")
	}
}

func TestLowest(t *testing.T) {
	if got := Lowest(nil); got != -1 {
		t.Error(got)
	}
	if got := Lowest([]Ceiling{{Rate: 3}, {Rate: 1}, {Rate: 1}}); got != 1 {
		t.Error(got)
	}
}

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
