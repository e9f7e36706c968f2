package storage

import (
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
)

// What a run writes is reported beforehand: the file that all rows of a drive share, once, the writes into it, and both
// ends of copies.
func TestWrites(t *testing.T) {
	blocks := blockCombinations(t)
	of := func(combinations ...*experiment.Combination) map[string]experiment.Written {
		out := map[string]experiment.Written{}
		for _, w := range runtest.WritesOf(combinations...) {
			if _, twice := out[w.Place]; twice {
				t.Errorf("%s is there twice", w.Place)
			}
			out[w.Place] = w
		}
		return out
	}
	// Only reads: only the file, 1 GiB once for four rows.
	if got := of(blocks["reads"]...); len(got) != 1 ||
		got["nas.tank"] != (experiment.Written{Place: "nas.tank", Host: "nas", Path: "/mnt/tank", Bytes: unit.GiB,
			Room: unit.GiB}) {
		t.Errorf("reads: %+v", got)
	}
	// Two of four combinations only read. What a drive accepts in three repeats of a second and three is not known.
	if got := of(blocks["here"]...)["nas.tank"]; got.Bytes != 2*unit.GiB || got.For != 2*3*4*time.Second {
		t.Errorf("here: %+v", got)
	}
	// With its drive's rate it is known: 8 Gb/s are 1 GB a second.
	workloadOf(blocks["here"][0]).drive.Write = 8e9
	if got := of(blocks["here"]...)["nas.tank"]; got.Bytes != 2*unit.GiB+24e9 || got.For != 0 {
		t.Errorf("here, of a drive whose rate is known: %+v", got)
	}
	c := blocks["here"][1] // an amount, with a share of 70 %
	if workloadOf(c).job.Read != 0.3 {
		t.Fatalf("%+v", workloadOf(c).job)
	}
	workloadOf(c).job.Amount = 10e9
	if got := of(c)["nas.tank"]; got.Bytes != 2*unit.GiB+3*7e9 {
		t.Errorf("an amount: %+v", got)
	}
	workloadOf(c).job.Amount, workloadOf(c).job.Read, workloadOf(c).job.Verify = 0, 1, true // each repeat has its own data
	if got := of(c)["nas.tank"]; got.Bytes != 3*2*unit.GiB || got.Room != 2*unit.GiB || got.For != 0 {
		t.Errorf("verified: %+v", got)
	}
	workloadOf(c).job.Verify, workloadOf(c).workers[0].target = false, "/dev/nvme0n1"
	if got := of(c); len(got) != 0 {
		t.Errorf("a device that is only read: %+v", got)
	}
	if workloadOf(c).job.Read = 0; len(of(c)) != 0 {
		t.Errorf("a device that nobody named: %+v", of(c))
	}
	if workloadOf(c).workers[0].destroy = "/dev/nvme0n1=S1"; of(c)["nas.tank"].Bytes != 3*4e9 {
		t.Errorf("a device: %+v", of(c))
	}
}
