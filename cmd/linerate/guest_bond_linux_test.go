package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"linerate/facts"
	"linerate/lab"
)

// Two guests make the bond of the plan, and LACP takes both cables. By hand, for it boots two machines:
//
//	LINERATE_TEST_BOND=1 LINERATE_TEST_GUEST=1 go test ./cmd/linerate -run TestBondOfGuests
func TestBondOfGuests(t *testing.T) {
	if os.Getenv("LINERATE_TEST_BOND") != "1" {
		t.Skip("LINERATE_TEST_BOND=1 boots two guests")
	}
	p := newPlace(t)
	fabric := copyFile(t, "../../examples/exam-guests.yaml", p.path("exam-guests.yaml"))
	s, info := guestLab(t, p, fabric, "--variant", "bonded", "--guests")
	if len(info.Guests) != 2 || info.Guests[0].Failed != "" || info.Guests[1].Failed != "" || len(info.Shaped) != 2 {
		t.Fatalf("the lab: %+v", info)
	}
	tries(t, func() error {
		_, err := lab.Find(info.ID)
		s.on(t, "host1", "ping", "-c", "3", "-W", "3", "10.9.1.2")
		return err
	})
	a := p.linerate(t, "facts", fabric, "--variant", "bonded", "--lab", s.id, "--json")
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
