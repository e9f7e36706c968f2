package lab

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/lab/labtest"
	"linerate/internal/lab/layout"
)

// lags returns the parts of guests whose QEMU is this test binary: they come up, and do nothing.
func lags(t *testing.T) *GuestParts {
	t.Helper()
	return pretended(t, machineLags, patience)
}

// needy returns a plan of two hosts, of which an experiment needs both as guests.
func needy() *plan.Plan {
	p := labtest.Pair(unit.GigabitPerSecond, 1500)
	p.Fabric = &fabric.Fabric{
		Experiments: []*fabric.Experiment{{Name: "reads", Method: "rdma", From: []string{"a"}, To: []string{"b"}}},
	}
	return p
}

func TestGuestsByThemselves(t *testing.T) {
	private(t)
	p := needy()
	p.Hosts[0].Decl.Guest = true
	var said []string
	l := up(t, p,
		Options{Scale: 1, Guests: lags(t), Needs: layout.Needs(p), Say: func(s string) { said = append(said, s) }})
	if got := l.Info.GuestNames(); !slices.Equal(got, []string{"a", "b"}) {
		t.Fatalf("guests: %v, %+v", got, l.Info.Guests)
	}
	if l.Info.Guests[0].Because != "" || l.Info.Guests[1].Because != "experiment reads needs RDMA" {
		t.Errorf("a is a guest by its file, b by itself: %+v", l.Info.Guests)
	}
	const want = "host b: a guest, because experiment reads needs RDMA"
	if !slices.Equal(said, []string{want}) || !slices.Contains(l.Info.Emulated, want) {
		t.Errorf("said %q; the lab says %q", said, l.Info.Emulated)
	}
}

// Without memory for a guest, a host stays a namespace, and runs.
func TestNoMemoryForGuestsByThemselves(t *testing.T) {
	private(t)
	p, parts := needy(), lags(t)
	parts.Memory = 1 << 50
	share := &Share{Folder: t.TempDir()}
	l := up(t, p, Options{Scale: 1, Guests: parts, Needs: layout.Needs(p), Share: share})
	if len(l.Info.Guests) > 0 || l.Info.Share != nil {
		t.Errorf("guests %+v, share %v", l.Info.Guests, l.Info.Share)
	}
	wantOutput(t, l, "a", "hostname", "a")
	if notes := strings.Join(l.Info.Emulated, "\n"); !strings.Contains(notes,
		"every host: a namespace, though experiment reads needs RDMA, because a guest takes 1152 TiB") {
		t.Errorf("what every page says: %s", notes)
	}
}

// A port without a cable does not prevent a lab from starting.
func TestGuestUnplugged(t *testing.T) {
	private(t)
	needTap(t)
	p := needy()
	h := p.Hosts[0]
	h.Decl.Guest = true
	h.Ports = append(h.Ports, &plan.Port{ID: "a.nic.2", Host: "a", NIC: "nic", Index: 2, Interface: "nic2", MTU: 1500})
	l := up(t, p, Options{Scale: 1, Guests: lags(t)})
	wantOutput(t, l, "b", "hostname", "b")
	if notes := strings.Join(l.Info.Emulated, "\n"); !strings.Contains(notes, "port a.nic.2: nothing is plugged in") {
		t.Errorf("what every page says: %s", notes)
	}
}
