package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"linerate/internal/facts"
)

// Two guests make the bond of the plan, and LACP takes both cables.
func TestBondOfGuests(t *testing.T) {
	needGuests(t)
	p := newPlace(t)
	fabric := copyFile(t, "../../examples/exam-guests.yaml", p.path("exam-guests.yaml"))
	s, info := guestLab(t, p, fabric, "--variant", "bonded", "--guests")
	if len(info.Guests) != 2 || info.Guests[0].Failed != "" || info.Guests[1].Failed != "" || len(info.Shaped) != 2 {
		t.Fatalf("the lab: %+v", info)
	}
	for end := time.Now().Add(2 * time.Minute); ; { // LACP takes its time to agree
		a := p.linerate(t, "lab", "exec", s.id+"/host1", "--", "ping", "-c", "1", "-W", "5", "10.9.1.2")
		if a.code == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("host2 does not answer over the bond: %s", a)
		}
	}
	a := p.linerate(t, "facts", fabric, "--lab", s.id, "--json")
	var out struct {
		Hosts []struct {
			Host  string
			Facts *facts.Facts
		}
	}
	if err := json.Unmarshal([]byte(a.out), &out); err != nil || len(out.Hosts) != 2 {
		t.Fatalf("%v: %s", err, a)
	}
	for _, h := range out.Hosts {
		nic := h.Facts.NIC("team")
		if nic == nil || nic.Bond == nil || !strings.Contains(nic.Bond.Mode, "802.3ad") || nic.Bond.Hash.Or("") != "layer3+4" || len(nic.Bond.Members) != 2 {
			t.Fatalf("%s: %+v", h.Host, nic)
		}
		for _, m := range nic.Bond.Members {
			if !nic.Bond.Carries(m) {
				t.Errorf("%s: %+v is not in use (aggregator %s)", h.Host, m, nic.Bond.Aggregator)
			}
		}
	}
}
