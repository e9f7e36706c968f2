package main

import (
	"strings"
	"testing"

	"linerate/internal/facts"
)

// Who is at the other end of a port's cable, as the lines of facts have it.
func TestFactsNeighbour(t *testing.T) {
	one := facts.LLDPNeighbour{Chassis: facts.LLDPID{Kind: facts.LLDPMAC, Value: "02:00:00:00:05:00"}, Port: facts.LLDPID{Kind: facts.LLDPInterface, Value: "Eth1/19"}, System: "leaf1"}
	described := one
	described.PortDescription = "to nas"
	bare := facts.LLDPNeighbour{Chassis: one.Chassis}
	for _, c := range []struct {
		heard     []facts.LLDPNeighbour
		why, want string
	}{
		{nil, "", ""},
		{nil, "neither lldpd nor systemd-networkd's LLDP is there", "not known: neither lldpd nor systemd-networkd's LLDP is there"},
		{[]facts.LLDPNeighbour{}, "", "nobody speaks LLDP there"},
		{[]facts.LLDPNeighbour{one}, "", "leaf1, port Eth1/19"},
		{[]facts.LLDPNeighbour{described, bare}, "", "leaf1, port Eth1/19 (to nas); 02:00:00:00:05:00"},
		{[]facts.LLDPNeighbour{one, one, one, one, one}, "", "leaf1, port Eth1/19; leaf1, port Eth1/19; leaf1, port Eth1/19; 2 more"},
	} {
		n := &facts.Interface{Name: "e1", LLDP: c.heard}
		if got := neighbourText(&facts.Facts{LLDPWhy: c.why}, n); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	text, err := facts.Parse([]byte("host a\nos linux\n-- lldpctl --\nLLDP neighbors:\nInterface:    e1, via: LLDP, RID: 1, Time: 0 day, 00:00:05\n  Chassis:\n    SysName:      sw\n  Port:\n    PortID:       ifname p7\n"))
	if err != nil || text.NIC("e1") == nil {
		t.Fatal(err)
	}
	if got := otherText(text, text.NIC("e1")); !strings.Contains(got, "cable to sw, port p7") {
		t.Errorf("%q", got)
	}
}
