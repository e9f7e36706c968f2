package path

import (
	"math"
	"net/netip"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// twoHosts is a path over one link of 10 Gb/s at MTU 1500.
func twoHosts(mtu int) plan.Path {
	link := &plan.Link{Name: "a.x--b.x", Speed: 10e9, MTU: mtu}
	port := func(host, address string) *plan.Port {
		return &plan.Port{ID: host + ".x", Host: host, Card: "x", Interface: "x", Speed: 10e9, MTU: mtu, Address: netip.MustParsePrefix(address), Link: link.Name}
	}
	return plan.Path{From: "a", To: "b", FromPort: port("a", "10.0.1.1/24"), ToPort: port("b", "10.0.1.2/24"), Links: []*plan.Link{link}}
}

func host(mtu int, timestamps bool, qdiscs ...facts.Qdisc) *facts.Facts {
	return &facts.Facts{TCP: facts.TCP{Timestamps: unit.Known(timestamps)},
		NICs: []facts.Interface{{Name: "x", MTU: mtu, Speed: unit.Known[unit.BitRate](10e9), Qdiscs: qdiscs}}}
}

func tbf(rate unit.BitRate) facts.Qdisc {
	return facts.Qdisc{Kind: "tbf", Handle: "1:", Parent: "root", Rate: unit.Known(rate)}
}

// TestGolden holds the limit of a chain against the goodput of TCP over 10GbE:
// rate x (MTU - 40 - 12) / (MTU + 38).
func TestGolden(t *testing.T) {
	for name, c := range map[string]struct {
		mtu        int
		conditions Conditions
		want       float64
		component  string
	}{
		"as planned":               {1500, Conditions{}, 9.4148e9, "link a.x--b.x"},
		"jumbo":                    {9000, Conditions{}, 9.9004e9, "link a.x--b.x"},
		"no timestamps":            {1500, Conditions{From: host(1500, true), To: host(1500, false)}, 9.4928e9, "link a.x--b.x"},
		"one end keeps 1500":       {9000, Conditions{From: host(9000, true), To: host(1500, true)}, 9.4148e9, "link a.x--b.x"},
		"tagged":                   {1500, Conditions{VLAN: true}, 9.3904e9, "link a.x--b.x"},
		"a tenth in the lab":       {1500, Conditions{Lab: true, Scale: 0.1}, 0.94148e9, "link a.x--b.x"},
		"the lab's own shaper":     {1500, Conditions{Lab: true, Scale: 0.1, From: host(1500, true, tbf(1e9*1514/1538.0))}, 0.94148e9, "link a.x--b.x"},
		"the lab, one end spoiled": {9000, Conditions{Lab: true, Scale: 0.1, From: host(9000, true, tbf(1e9*9014/9038.0)), To: host(1500, true)}, 1e9 * 9014 / 9038.0 * 1448 / 1514, "link a.x--b.x"},
		"a shaper at 300 Mb/s":     {1500, Conditions{Lab: true, Scale: 0.1, From: host(1500, true, tbf(300e6))}, 300e6 * 1448 / 1514, "tbf on x of a"},
		"outside the lab, slow":    {1500, Conditions{From: host(1500, true, tbf(300e6))}, 300e6 * 1448 / 1514, "tbf on x of a"},
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
				t.Error("memory and processor are not known, yet the limit is not called at most")
			}
			if h := chain.Lowest(); h == nil || h.Formula == "" || len(h.Inputs) == 0 {
				t.Errorf("the lowest hop has no formula or inputs: %+v", h)
			}
		})
	}
}

func TestBothWays(t *testing.T) {
	one, both := TCP(twoHosts(1500), "out", Conditions{}), TCP(twoHosts(1500), "both", Conditions{})
	if both.Limit >= 2*one.Limit || both.Limit < 2*one.Limit*0.99 {
		t.Errorf("both ways %v: want a little under twice %v, because of acknowledgements", both.Limit, one.Limit)
	}
}

// TestDirection: a shaper at one end holds only what that end sends.
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

// TestSlot: a 100G card in PCIe 1.1 x8 is held by the slot, to what the formula
// of its generation leaves of 16 Gb/s: between 10 and 13 Gb/s of TLP payload.
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
