package iproute

import (
	"net/netip"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/parsetest"
)

func FuzzIPLink(f *testing.F) {
	parsetest.Fuzz(f, "ip link", parseIPLink,
		func(_ *testing.T, v []Link) { putIPLink(parse.NewBuilder(new(facts.Facts)), nil, v) })
}

func FuzzIPAddress(f *testing.F) {
	parsetest.Fuzz(f, "ip address", parseIPAddress, func(t *testing.T, v map[string][]netip.Prefix) {
		for _, addresses := range v {
			for _, a := range addresses {
				if !a.IsValid() {
					t.Fatal(a)
				}
			}
		}
	})
}

func FuzzIPRoute(f *testing.F) {
	parsetest.Fuzz(f, "ip route", ParseIPRoute, func(t *testing.T, v []facts.Route) {
		for _, r := range v {
			if !r.Dst.IsValid() {
				t.Fatal(r)
			}
		}
	})
}

func FuzzIPRule(f *testing.F) { parsetest.Fuzz(f, "ip rule", parseIPRule, nil) }

func FuzzTCQdisc(f *testing.F) {
	parsetest.Fuzz(f, "tc qdisc", parseTCQdisc, func(t *testing.T, v []deviceQdisc) {
		for _, q := range v {
			if q.Rate.Or(0) < 0 || q.Limit.Or(0) < 0 || q.Burst.Or(0) < 0 {
				t.Fatal(q)
			}
		}
	})
}

func FuzzTCClass(f *testing.F) { parsetest.Fuzz(f, "tc class *", parseTCClass, nil) }

func FuzzSS(f *testing.F) { parsetest.Fuzz(f, "ss", parseSS, nil) }

func FuzzNeighbours(f *testing.F) {
	parsetest.Fuzz(f, "ip neighbour", parsetest.Reading(readNeighbours), nil)
}

func FuzzFunctions(f *testing.F) {
	f.Add("    vf 0     link/ether 6e:cc:c3:fe:ad:7f brd ff:ff:ff:ff:ff:ff, vlan 7, spoof checking on, link-state " +
		"auto, trust off\n")
	f.Add("vf 1 MAC 52:54:00:00:00:01, vlan 100, spoof checking on, link-state auto")
	f.Fuzz(func(t *testing.T, line string) {
		if v, ok := parseFunction(line); ok && (v.Index < 0 || v.MAC == "") {
			t.Fatal(v)
		}
	})
}

func FuzzIPAddressText(f *testing.F) {
	parsetest.Fuzz(f, "ip address", parsetest.Reading(readIPAddress), parsetest.CheckCounts)
}
