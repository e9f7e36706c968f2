package read

import (
	"net/netip"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/facts/parse/iproute"
)

func TestRouteTo(t *testing.T) {
	f := load(t, "left.full.txtar")
	multi, err := iproute.ParseIPRoute(
		[]byte(
			`[{"dst":"10.81.0.0/16","metric":5,"nexthops":[{"gateway":"10.9.0.9","dev":"dead0","flags":["dead","linkdown"]},
		{"gateway":"10.9.0.3","dev":"va","flags":[]}]},{"dst":"10.81.0.0/16","metric":3,"dev":"better","flags":[]},{"dst":"10.81.7.7","dev":"host","flags":[]},
		{"dst":"10.82.0.0/16","via":{"family":"inet6","host":"fe80::1"},"dev":"v6","flags":[]}]`,
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	f.Routes = append(f.Routes, multi...)
	for addr, want := range map[string]string{
		"10.9.0.2":         "va", // on link
		"10.80.1.1":        "va",
		"192.168.9.9":      "va", // default
		"10.9.0.1":         "lo", // its own
		"127.0.0.5":        "lo",
		"10.99.1.1":        "", // blackhole
		"10.81.1.1":        "better",
		"10.81.7.7":        "host",
		"10.82.1.1":        "v6",
		"::ffff:10.81.7.7": "host",
		"fd00::2":          "va",
		"2001:db8::1":      "",
	} {
		r, ok := f.RouteTo(netip.MustParseAddr(addr))
		if r.Interface != want || ok != (want != "") {
			t.Errorf("%s: %+v, %v; want over %q", addr, r, ok, want)
		}
	}
	if r, _ := f.RouteTo(netip.MustParseAddr("10.80.1.1")); r.Gateway != netip.MustParseAddr("10.9.0.2") ||
		r.Metric != 50 {
		t.Errorf("%+v", r)
	}
	if _, ok := f.RouteTo(netip.Addr{}); ok {
		t.Error("no address has a route")
	}
	f.Rules = unit.Known(1)
	if r, ok := f.RouteTo(netip.MustParseAddr("10.80.1.1")); ok {
		t.Errorf("with another table in use: %+v", r)
	}
}
