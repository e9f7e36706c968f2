package runfolder

import (
	"linerate/internal/record"
	"testing"
)

// The counts of each repeat stay. Only the experiment describes the workers.
func TestThinBlock(t *testing.T) {
	b := &record.Block{Read: &record.BlockCount{IOPS: 5, Histogram: "H"},
		Workers: []record.BlockWorker{{Host: "a"}}, PerPercentAsking: &record.WorkPerPercent{IOPS: 2}}
	e := &record.Experiment{Block: b, Repeats: []record.Repeat{{Block: b}, {}}}
	less, least := thin(e, false), thin(e, true)
	for name, have := range map[string]*record.Block{"less": less.Repeats[0].Block, "least": least.Repeats[0].Block} {
		if have == nil || have.Read == nil || have.Read.IOPS != 5 || have.Read.Histogram != "" || have.Write != nil ||
			have.PerPercentAsking == nil {
			t.Errorf("%s: %+v", name, have)
		}
	}
	if len(less.Repeats[0].Block.Workers) != 1 || len(least.Repeats[0].Block.Workers) != 0 ||
		len(least.Block.Workers) != 1 ||
		least.Repeats[1].Block != nil {
		t.Errorf("workers: %+v, %+v", less.Repeats[0].Block, least.Repeats[0].Block)
	}
	if b.Read.Histogram != "H" || len(b.Workers) != 1 {
		t.Error("the run itself was changed")
	}
}
