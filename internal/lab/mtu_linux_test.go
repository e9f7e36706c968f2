package lab

import (
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/lab/labtest"
)

// TestSetMTU checks that both ends of the link get the MTU, that the shaper follows, and that all of it is undone.
func TestSetMTU(t *testing.T) {
	private(t)
	p := labtest.Pair(unit.GigabitPerSecond, 1500)
	l := up(t, p, Options{Scale: 1})
	path := plan.Path{Links: p.Links}
	rate := func() string {
		t.Helper()
		text, code := run(t, l, "a", "tc", "qdisc", "show", "dev", "nic1")
		if code != 0 {
			t.Fatal(text)
		}
		return text
	}
	before := rate()
	back, err := SetMTU(l.Info.ID, path, 9000)
	if err != nil {
		t.Fatal(err)
	}
	wantOutput(t, l, "a", "cat /sys/class/net/nic1/mtu", "9000")
	wantOutput(t, l, "b", "cat /sys/class/net/nic1/mtu", "9000")
	if rate() == before {
		t.Errorf("the shaper did not follow the MTU: %s", before)
	}
	if err := back(); err != nil {
		t.Fatal(err)
	}
	wantOutput(t, l, "a", "cat /sys/class/net/nic1/mtu", "1500")
	wantOutput(t, l, "b", "cat /sys/class/net/nic1/mtu", "1500")
	if got := rate(); got != before {
		t.Errorf("the shaper is %s, was %s", got, before)
	}
	for _, mtu := range []int{0, 100, 1 << 20} {
		if _, err := SetMTU(l.Info.ID, path, mtu); err == nil {
			t.Errorf("MTU %d was taken", mtu)
		}
	}
	if _, err := SetMTU(l.Info.ID, plan.Path{Links: []*plan.Link{{Name: "nowhere", MTU: 1500}}}, 1400); err == nil {
		t.Error("a link that the lab does not have was taken")
	}
}
