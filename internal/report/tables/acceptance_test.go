package tables

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// A direction of a link that was loaded both ways is compared with its own ceiling, not with that of both together.
func TestAcceptanceOfOneDirection(t *testing.T) {
	e := &record.Experiment{Method: "acceptance", From: "a", To: "b", Direction: "both", Acceptance: &record.Acceptance{},
		Forward: &record.Estimate{Median: 1.88e9}, Backward: &record.Estimate{Median: 1.89e9},
		Ceiling: &record.Chain{Limit: unit.BitRate(3.96e9), Component: "link a--b"}}
	c := certificateOf(&record.Run{Experiments: []*record.Experiment{e}}, e)
	if want := "the slower direction 95 % of what link a--b allows in one."; !strings.Contains(c.Says[0], want) {
		t.Errorf("%q, want %q", c.Says[0], want)
	}
}
