package exam

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"linerate/internal/base/unit"
	"linerate/internal/lab/fault"
)

func TestScale(t *testing.T) {
	got := map[fault.Scenario]float64{}
	for _, in := range []fault.Scenario{fault.Near, fault.Fast, fault.RDMA, fault.Guest} {
		got[in] = Scale(in, 10*unit.GigabitPerSecond, 100*unit.MegabitPerSecond)
	}
	want := map[fault.Scenario]float64{fault.Near: 0.01, fault.Fast: 1, fault.RDMA: 0.0008, fault.Guest: 0.002}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("scales of 10 Gb/s (-want +got):\n%s", d)
	}
	if got := Scale(fault.Near, unit.MegabitPerSecond, 100*unit.MegabitPerSecond); got != 1 {
		t.Errorf("a slow link has scale %g", got)
	}
}

func TestSettings(t *testing.T) {
	for name, c := range map[string]struct {
		trial Trial
		own   map[string]string
		want  map[string]string
	}{
		"TCP": {Trial{}, nil, map[string]string{}},
		"UDP": {Trial{Transport: fault.UDP}, nil, map[string]string{"transport": "udp", "pace": "160M"}},
		"two streams": {Trial{Transport: fault.UDP}, map[string]string{"streams": "2"},
			map[string]string{"transport": "udp", "pace": "80M"}},
	} {
		if d := cmp.Diff(c.want, c.trial.Settings(MaxRate, c.own)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
