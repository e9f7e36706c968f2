package path

import (
	"math"
	"net/netip"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// twoHosts returns a path over one link of 10 Gb/s at MTU 1500.
func twoHosts(mtu int) plan.Path {
	link := &plan.Link{Name: "a.x--b.x", Speed: 10e9, MTU: mtu}
	port := func(host, address string) *plan.Port {
		return &plan.Port{ID: host + ".x", Host: host, NIC: "x", Interface: "x", Speed: 10e9, MTU: mtu,
			Address: netip.MustParsePrefix(address), Link: link.Name}
	}
	return plan.Path{From: "a", To: "b", FromPort: port("a", "10.0.1.1/24"), ToPort: port("b", "10.0.1.2/24"),
		Links: []*plan.Link{link}}
}

func host(mtu int, timestamps bool, qdiscs ...facts.Qdisc) *facts.Facts {
	return &facts.Facts{TCP: facts.TCP{Timestamps: unit.Known(timestamps)},
		NICs: []facts.Interface{{Name: "x", MTU: mtu, Speed: unit.Known[unit.BitRate](10e9), Qdiscs: qdiscs}}}
}

func tbf(rate unit.BitRate) facts.Qdisc {
	return facts.Qdisc{Kind: "tbf", Handle: "1:", Parent: "root", Rate: unit.Known(rate)}
}

// TestGolden compares the limit of a chain with the goodput of TCP over 10GbE: rate x (MTU - 40 - 12) / (MTU + 38).
func TestGolden(t *testing.T) {
	for name, c := range map[string]struct {
		mtu        int
		conditions Conditions
		want       float64
		component  string
	}{
		"as planned":         {1500, Conditions{}, 9.4148e9, "link a.x--b.x"},
		"jumbo":              {9000, Conditions{}, 9.9004e9, "link a.x--b.x"},
		"no timestamps":      {1500, Conditions{From: host(1500, true), To: host(1500, false)}, 9.4928e9, "link a.x--b.x"},
		"one end keeps 1500": {9000, Conditions{From: host(9000, true), To: host(1500, true)}, 9.4148e9, "link a.x--b.x"},
		"tagged":             {1500, Conditions{VLAN: true}, 9.3904e9, "link a.x--b.x"},
		"a tenth in the lab": {1500, Conditions{Lab: true, Scale: 0.1}, 0.94148e9, "link a.x--b.x"},
		"the lab's own shaper": {1500, Conditions{Lab: true, Scale: 0.1, From: host(1500, true, tbf(1e9*1514/1538.0))},
			0.94148e9, "link a.x--b.x"},
		"the lab, one end spoiled": {9000, Conditions{Lab: true, Scale: 0.1, From: host(9000, true, tbf(1e9*9014/9038.0)),
			To: host(1500, true)}, 1e9 * 9014 / 9038.0 * 1448 / 1514, "link a.x--b.x"},
		"a shaper at 300 Mb/s": {1500, Conditions{Lab: true, Scale: 0.1, From: host(1500, true, tbf(300e6))},
			300e6 * 1448 / 1514, "tbf on x of a"},
		"outside the lab, slow": {1500, Conditions{From: host(1500, true, tbf(300e6))}, 300e6 * 1448 / 1514, "tbf on x of a"},
	} {
		t.Run(name, func(t *testing.T) {
			chain := TCP(twoHosts(c.mtu), "out", c.conditions)
			if got := float64(chain.Limit); math.Abs(got-c.want) > c.want*1e-4 {
				t.Errorf("limit %v, want %v", got, c.want)
			}
			if chain.Component != c.component {
				t.Errorf("component %q, want %q", chain.Component, c.component)
			}
			if !chain.AtMost {
				t.Error("memory and CPU are not known, yet the limit is not called at most")
			}
			if h := chain.Lowest(); h == nil || h.Formula == "" || len(h.Inputs) == 0 {
				t.Errorf("the lowest hop has no formula or inputs: %+v", h)
			}
		})
	}
}

// The rate of a lab's shaper that was set for another MTU is not called the rate of the link.
func TestRateOfShaper(t *testing.T) {
	for want, conditions := range map[string]Conditions{
		"planned rate of the link": {Lab: true, Scale: 0.1},
		"rate of the lab's shaper": {Lab: true, Scale: 0.1, ShapedMTU: 9000},
	} {
		chain := TCP(twoHosts(1500), "out", conditions)
		for _, h := range chain.Hops {
			if h.Kind == "cable" && h.Inputs[0].Name != want {
				t.Errorf("%q, want %q", h.Inputs[0].Name, want)
			}
		}
	}
}

func TestBothWays(t *testing.T) {
	one, both := TCP(twoHosts(1500), "out", Conditions{}), TCP(twoHosts(1500), "both", Conditions{})
	if both.Limit >= 2*one.Limit || both.Limit < 2*one.Limit*0.99 {
		t.Errorf("both ways %v: want a little under twice %v, because of acknowledgements", both.Limit, one.Limit)
	}
}

// TestDirection checks that a shaper at one end limits only what that end sends.
func TestDirection(t *testing.T) {
	c := Conditions{Lab: true, Scale: 0.1, From: host(1500, true, tbf(300e6)), To: host(1500, true)}
	out, in := TCP(twoHosts(1500), "out", c), TCP(twoHosts(1500), "in", c)
	if out.Limit >= in.Limit {
		t.Errorf("out %v, in %v: the shaper is at the sender of out", out.Limit, in.Limit)
	}
}

func TestUnknownSpeed(t *testing.T) {
	p := twoHosts(1500)
	p.Links[0].Speed, p.FromPort.Speed, p.ToPort.Speed = 0, 0, 0
	chain := TCP(p, "out", Conditions{})
	if chain.Limit != 0 || !chain.AtMost {
		t.Errorf("limit %v of a path without rates", chain.Limit)
	}
	for _, h := range chain.Hops {
		if h.Why == "" {
			t.Errorf("hop %s is unknown without a reason", h.Component)
		}
	}
}

func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		conditions Conditions
		want       record.Origin
	}{
		{Conditions{}, record.Declared},
		{Conditions{Lab: true, Scale: 1}, record.Simulated},
	} {
		chain := TCP(twoHosts(1500), "out", c.conditions)
		if got := chain.Lowest().Inputs[0].Origin; got != c.want {
			t.Errorf("origin %q, want %q", got, c.want)
		}
	}
}

// TestSlot checks that the slot limits a 100G NIC in PCIe 1.1 x8 to the TLP payload at 16 Gb/s: between 10 and 13 Gb/s.
func TestSlot(t *testing.T) {
	p := twoHosts(1500)
	p.Links[0].Speed, p.FromPort.Speed, p.ToPort.Speed = 100e9, 100e9, 100e9
	p.FromPort.Slot, p.ToPort.Slot = "pcie1x8", "pcie4x16"
	p.FromPort.Part = &catalog.Part{Name: "card", PCIe: &catalog.PCIe{Gen: 4, Lanes: 16}}
	chain := TCP(p, "out", Conditions{})
	if h := chain.Lowest(); h == nil || h.Kind != "pcie" || h.Layer != record.LayerTLP {
		t.Fatalf("the lowest hop is %+v, want the slot of the sender", h)
	}
	if got := float64(chain.Limit); got < 10e9 || got > 13e9 {
		t.Errorf("limit %v, want 10 to 13 Gb/s", chain.Limit)
	}
	if both := TCP(p, "both", Conditions{}); both.Limit > 2*chain.Limit*1.05 {
		t.Errorf("both ways %v, more than twice %v", both.Limit, chain.Limit)
	}
}

// TestUDPGolden compares the limit of a chain with rate x size / (size + 28 + 38), and the shaper's rate x size /
// (size + 28 + 14).
func TestUDPGolden(t *testing.T) {
	for name, c := range map[string]struct {
		mtu, size  int
		direction  string
		conditions Conditions
		want       float64
		component  string
	}{
		"full packets": {1500, 0, "out", Conditions{}, 10e9 * 1472 / 1538, "link a.x--b.x"},
		"both ways":    {1500, 0, "both", Conditions{}, 20e9 * 1472 / 1538, "link a.x--b.x"},
		"jumbo":        {9000, 0, "out", Conditions{}, 10e9 * 8972 / 9038, "link a.x--b.x"},
		"one end keeps 1500": {9000, 0, "out", Conditions{From: host(9000, true), To: host(1500, true)}, 10e9 * 1472 / 1538,
			"link a.x--b.x"},
		"512":                {1500, 512, "in", Conditions{}, 10e9 * 512 / 578, "link a.x--b.x"},
		"tagged":             {1500, 0, "out", Conditions{VLAN: true}, 10e9 * 1472 / 1542, "link a.x--b.x"},
		"a tenth in the lab": {1500, 0, "out", Conditions{Lab: true, Scale: 0.1}, 1e9 * 1472 / 1538, "link a.x--b.x"},
		"the lab's own shaper": {1500, 0, "out", Conditions{Lab: true, Scale: 0.1,
			From: host(1500, true, tbf(1e9*1514/1538.0))}, 1e9 * 1472 / 1538, "link a.x--b.x"},
		"a shaper at 300 Mb/s": {1500, 0, "out", Conditions{Lab: true, Scale: 0.1, From: host(1500, true, tbf(300e6))},
			300e6 * 1472 / 1514, "tbf on x of a"},
	} {
		chain := UDP(twoHosts(c.mtu), c.direction, c.size, c.conditions)
		if got := float64(chain.Limit); math.Abs(got-c.want) > c.want*1e-4 || chain.Component != c.component ||
			chain.Transport != "udp" {
			t.Errorf("%s: %v by %q (%s), want %v by %q", name, got, chain.Component, chain.Transport, c.want, c.component)
		}
	}
	p := twoHosts(1500)
	p.FromPort.Address, p.ToPort.Address = netip.MustParsePrefix("fd00::1/64"), netip.MustParsePrefix("fd00::2/64")
	if got := UDP(p, "out", 0, Conditions{}).Limit; math.Abs(float64(got)-10e9*1452/1538) > 1e6 {
		t.Errorf("IPv6: %v", got)
	}
}

// The layout gives the ceiling of a set of drives: all of the buses for reads, and those without parity for writes. A
// layout without a formula adds nothing.
func TestAddLayout(t *testing.T) {
	for _, x := range []struct {
		layout string
		read   float64
		want   float64 // MB/s; 0: no hop
		way    string
	}{{"raid6", 0, 3600, "writing"}, {"raid6", 1, 3600, "reading"}, {"mirror2", 1, 4800, "reading"},
		{"mirror2", 0, 2400, "writing"}, {"mirror2", 0.5, 4800, "reading"}, {"raid0", 0.3, 4800, "reading"},
		{"in a heap", 1, 0, ""}} {
		c := record.Chain{}
		AddLayout(&c, "drive nas.tank", x.layout, 8, "sata3", x.read)
		if x.want == 0 {
			if len(c.Hops) != 0 {
				t.Errorf("%s: %+v", x.layout, c.Hops)
			}
			continue
		}
		if len(c.Hops) != 1 || float64(c.Limit)/8e6 != x.want || c.Hops[0].Kind != "layout" ||
			!strings.Contains(c.Component, x.way) {
			t.Errorf("%s, %v read: %+v", x.layout, x.read, c)
		}
	}
}

// rdmaPath returns a path over one link of this rate.
func rdmaPath(rate unit.BitRate, mtu int) plan.Path {
	port := func(host, address string) *plan.Port {
		return &plan.Port{ID: host + ".c.1", Host: host, Speed: rate, MTU: mtu, Address: netip.MustParsePrefix(address)}
	}
	return plan.Path{From: "a", To: "b", FromPort: port("a", "10.9.0.1/24"), ToPort: port("b", "10.9.0.2/24"),
		Links: []*plan.Link{{Name: "a--b", Speed: rate, MTU: mtu}}}
}

// The figures are computed by hand. 92.57 is that of the reference tables for 100 Gb/s at path MTU 1024.
func TestOverRDMA(t *testing.T) {
	const lab = 1e9
	shaped := lab * float64(1514) / 1538 // as the lab sets a shaper for MTU 1500
	for name, c := range map[string]struct {
		rate unit.BitRate
		rdma RDMA
		lab  bool
		want float64
	}{
		"RoCE v2, path MTU 1024": {100e9, RDMA{Link: "rocev2", PathMTU: 1024}, false, 92.586e9},
		"RoCE v2, path MTU 4096": {100e9, RDMA{Link: "rocev2", PathMTU: 4096}, false, 98.037e9},
		"RoCE v1":                {100e9, RDMA{Link: "rocev1", PathMTU: 1024}, false, 91.592e9},
		"writes of 64 B": {100e9, RDMA{Link: "rocev2", PathMTU: 1024, Message: 64}, false,
			100e9 * 64 / (64 + 82 + 16)},
		"sends of 64 B": {100e9, RDMA{Link: "rocev2", PathMTU: 1024, Message: 64, Send: true}, false,
			100e9 * 64 / (64 + 82)},
		"InfiniBand DDR by its rate":  {20e9, RDMA{Link: "ib", PathMTU: 2048}, false, 16e9 * 2048 / 2074},
		"InfiniBand EDR by its data":  {100e9, RDMA{Link: "ib", PathMTU: 4096}, false, 100e9 * 4096 / 4122},
		"iWARP":                       {10e9, RDMA{Link: "iwarp"}, false, 10e9 * 1428 / 1538},
		"lab: the shaper counts less": {lab, RDMA{Link: "rocev2", PathMTU: 1024}, true, shaped * 1024 / (1024 + 58)},
		"lab: iWARP":                  {lab, RDMA{Link: "iwarp"}, true, shaped * 1428 / 1514},
		"lab: InfiniBand is RoCE in it": {lab, RDMA{Link: "rocev2", PathMTU: 1024, Message: 1024}, true,
			shaped * 1024 / (1024 + 58 + 16)},
	} {
		chain := OverRDMA(rdmaPath(c.rate, 1500), "out", c.rdma, Conditions{Lab: c.lab})
		if got := float64(chain.Limit); math.Abs(got-c.want) > c.want*1e-4 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if both := OverRDMA(rdmaPath(c.rate, 1500), "both", c.rdma, Conditions{Lab: c.lab}); math.Abs(
			float64(both.Limit)-2*c.want) > c.want*2e-4 {
			t.Errorf("%s, both ways: %v, want twice %v", name, both.Limit, c.want)
		}
	}
	if chain := OverRDMA(rdmaPath(37e9, 1500), "out", RDMA{Link: "ib", PathMTU: 2048}, Conditions{}); chain.Limit != 0 ||
		chain.Hops[len(chain.Hops)/2].Why == "" {
		t.Errorf("a rate that no InfiniBand has: %+v", chain)
	}
}

// Of both directions at once a shaper limits the one in which its host sends; the other gets the link.
func TestBothWaysWithAShaper(t *testing.T) {
	slow, open := host(1500, true, tbf(1e9)), host(1500, true)
	free := TCP(twoHosts(1500), "both", Conditions{From: open, To: open})
	for name, c := range map[string]struct {
		conditions Conditions
		component  string
		a, b       float64 // the ceiling of what a and b send, as a share of the link's
	}{
		"at a":    {Conditions{From: slow, To: open}, "tbf on x of a", 0.1015, 1},
		"at b":    {Conditions{From: open, To: slow}, "tbf on x of b", 1, 0.1015},
		"at both": {Conditions{From: slow, To: slow}, "tbf on x of a", 0.1015, 0.1015},
		"at none": {Conditions{From: open, To: open}, free.Component, 1, 1},
	} {
		chain := TCP(twoHosts(1500), "both", c.conditions)
		link := float64(free.Limit) / 2
		if got, want := float64(chain.Limit), (c.a+c.b)*link; math.Abs(got-want) > want*0.002 ||
			chain.Component != c.component {
			t.Errorf("%s: %v by %s, want %v by %s", name, got, chain.Component, want, c.component)
		}
		for host, want := range map[string]float64{"a": c.a, "b": c.b} {
			if got := float64(chain.OneWay(host)) / link; math.Abs(got-want) > 0.002*want {
				t.Errorf("%s: %s sends %.4f of the link, want %.4f", name, host, got, want)
			}
		}
		if got := chain.Planned(); got != free.Limit {
			t.Errorf("%s: planned %v, want %v", name, got, free.Limit)
		}
	}
	p := twoHosts(1500)
	p.Links[0].Speed, p.FromPort.Speed, p.ToPort.Speed = 0, 0, 0
	slow.NICs[0].Speed, open.NICs[0].Speed = unit.Opt[unit.BitRate]{}, unit.Opt[unit.BitRate]{}
	if chain := TCP(p, "both", Conditions{From: slow, To: open}); chain.Limit != 0 || !chain.AtMost {
		t.Errorf("the other direction has no known ceiling, and both have %v", chain.Limit)
	}
}
