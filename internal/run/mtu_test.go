package run

import (
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
)

// An MTU that only one end has is not in effect: the combination is not run, and names the end with a different one.
func TestMTUOfBothEnds(t *testing.T) {
	for name, c := range map[string]struct {
		from, to int
		mtu      string
		reason   []string // none: it is run
	}{
		"nothing asked":       {9000, 1500, "", nil},
		"both have it":        {9000, 9000, "9000", nil},
		"the far end has not": {9000, 1500, "9000", []string{"MTU 9000", "e1 of nas has 1500"}},
		"neither has":         {1500, 1500, "9000", []string{"e0 of desk has 1500", "e1 of nas has 1500"}},
		"one is not known":    {9000, 0, "9000", []string{"e1 of nas is not known"}},
	} {
		x := &record.Experiment{Settings: map[string]string{}}
		if c.mtu != "" {
			x.Settings["mtu"] = c.mtu
		}
		combination := &experiment.Combination{Record: x}
		combination.Measurement = &runtest.Fake{
			Of: combination,
			Path: plan.Path{From: "desk", To: "nas", FromPort: &plan.Port{Host: "desk", Interface: "e0", MTU: c.from},
				ToPort: &plan.Port{Host: "nas", Interface: "e1", MTU: c.to}},
		}
		if _, err := (&session{}).mtu(t.Context(), combination); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if (x.NotRun == "") != (len(c.reason) == 0) {
			t.Errorf("%s: not run %q", name, x.NotRun)
		}
		for _, want := range c.reason {
			if !strings.Contains(x.NotRun, want) {
				t.Errorf("%s: %q, want %q", name, x.NotRun, want)
			}
		}
	}
}
