package check

import (
	"net/netip"
	"slices"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// Two ends that both got no echo from each other are told of; one end alone may meet a firewall that drops echoes, and one that was
// answered by ARP meets one for sure.
func TestNoEcho(t *testing.T) {
	a, b := netip.MustParseAddr("10.1.0.1"), netip.MustParseAddr("10.1.0.2")
	for _, c := range []struct {
		name         string
		fromA, fromB []netip.Addr
		answers      []string
		found        bool
	}{
		{"both", []netip.Addr{b}, []netip.Addr{a}, nil, true},
		{"one", []netip.Addr{b}, nil, nil, false},
		{"a firewall", []netip.Addr{b}, []netip.Addr{a}, []string{"02:00:00:00:00:02"}, false},
	} {
		w := load(t, nil)
		w.Hosts[0].Facts.Probes.Silent, w.Hosts[1].Facts.Probes.Silent = c.fromA, c.fromB
		if c.answers != nil {
			w.Hosts[0].Facts.Probes.Owners = []facts.OwnerProbe{{Address: b, Interface: "e1", Answers: c.answers}}
		}
		r := Run(w, Choice{})
		if got := slices.ContainsFunc(r.Findings, func(f record.Finding) bool { return f.ID == "no-answer" }); got != c.found || len(r.Findings) > 1 {
			t.Errorf("%s: %+v", c.name, r.Findings)
		}
	}
}
