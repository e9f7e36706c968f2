package path

import (
	"math"
	"net/netip"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
)

// rdmaPath is two ports of one link of the rate.
func rdmaPath(rate unit.BitRate, mtu int) plan.Path {
	port := func(host, address string) *plan.Port {
		return &plan.Port{ID: host + ".c.1", Host: host, Speed: rate, MTU: mtu, Address: netip.MustParsePrefix(address)}
	}
	return plan.Path{From: "a", To: "b", FromPort: port("a", "10.9.0.1/24"), ToPort: port("b", "10.9.0.2/24"), Links: []*plan.Link{{Name: "a--b", Speed: rate, MTU: mtu}}}
}

// The figures are the formulas by hand; 92.57 is what the reference tables have of 100 Gb/s at path MTU 1024.
func TestOverRDMA(t *testing.T) {
	const lab = 1e9
	shaped := lab * float64(1514) / 1538 // as the lab sets a shaper for MTU 1500
	for name, c := range map[string]struct {
		rate unit.BitRate
		rdma RDMA
		lab  bool
		want float64
	}{
		"RoCE v2, path MTU 1024":        {100e9, RDMA{Link: "rocev2", PathMTU: 1024}, false, 92.586e9},
		"RoCE v2, path MTU 4096":        {100e9, RDMA{Link: "rocev2", PathMTU: 4096}, false, 98.037e9},
		"RoCE v1":                       {100e9, RDMA{Link: "rocev1", PathMTU: 1024}, false, 91.592e9},
		"writes of 64 B":                {100e9, RDMA{Link: "rocev2", PathMTU: 1024, Message: 64}, false, 100e9 * 64 / (64 + 82 + 16)},
		"sends of 64 B":                 {100e9, RDMA{Link: "rocev2", PathMTU: 1024, Message: 64, Send: true}, false, 100e9 * 64 / (64 + 82)},
		"InfiniBand DDR by its rate":    {20e9, RDMA{Link: "ib", PathMTU: 2048}, false, 16e9 * 2048 / 2074},
		"InfiniBand EDR by its data":    {100e9, RDMA{Link: "ib", PathMTU: 4096}, false, 100e9 * 4096 / 4122},
		"iWARP":                         {10e9, RDMA{Link: "iwarp"}, false, 10e9 * 1428 / 1538},
		"lab: the shaper counts less":   {lab, RDMA{Link: "rocev2", PathMTU: 1024}, true, shaped * 1024 / (1024 + 58)},
		"lab: iWARP":                    {lab, RDMA{Link: "iwarp"}, true, shaped * 1428 / 1514},
		"lab: InfiniBand is RoCE in it": {lab, RDMA{Link: "rocev2", PathMTU: 1024, Message: 1024}, true, shaped * 1024 / (1024 + 58 + 16)},
	} {
		chain := OverRDMA(rdmaPath(c.rate, 1500), "out", c.rdma, Conditions{Lab: c.lab})
		if got := float64(chain.Limit); math.Abs(got-c.want) > c.want*1e-4 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if both := OverRDMA(rdmaPath(c.rate, 1500), "both", c.rdma, Conditions{Lab: c.lab}); math.Abs(float64(both.Limit)-2*c.want) > c.want*2e-4 {
			t.Errorf("%s, both ways: %v, want twice %v", name, both.Limit, c.want)
		}
	}
	if chain := OverRDMA(rdmaPath(37e9, 1500), "out", RDMA{Link: "ib", PathMTU: 2048}, Conditions{}); chain.Limit != 0 || chain.Hops[len(chain.Hops)/2].Why == "" {
		t.Errorf("a rate that no InfiniBand has: %+v", chain)
	}
}
