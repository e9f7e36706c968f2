package proof

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// lossy tests whether traffic outside the class lost packets. Without losses it is not known whether the load exceeded
// the path, and a class with all of the traffic would look just as good.
func (p *proving) lossy() *record.ProofTest {
	t := proofTest(record.ProofLossy, "what was sent next to the class was dropped",
		"more than 0 packets of best effort lost")
	lost, flows := int64(0), 0
	for _, f := range p.flows {
		if !f.background {
			continue
		}
		flows++
		if f.lost == nil {
			proofUnknown(t, fmt.Sprintf("%s -> %s: how many packets of best effort were lost: %s", f.from, f.to, f.why))
			continue
		}
		lost += *f.lost
	}
	switch {
	case flows == 0:
		proofUnknown(t, "nothing was sent next to the class")
		t.Have = "not known"
	case lost > 0:
		yes := true
		t.Passed, t.NotKnown = &yes, nil
		t.Have = fmt.Sprintf("%s of best effort were lost", unit.Counted(int(lost), "packet"))
		if lost == 1 {
			t.Have = "1 packet of best effort was lost"
		}
	case t.Passed == nil:
		t.Have = "not known"
	default:
		proofFails(t)
		t.Have = "best effort next to it lost nothing"
	}
	return t
}
