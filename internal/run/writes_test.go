package run

import (
	"testing"
	"time"

	"linerate/internal/base/unit"
)

// What a run writes is said beforehand: the file that all rows of a drive share, once, what is written into it, and both ends of copies.
func TestWrites(t *testing.T) {
	blocks, copies := blockCells(t), copyCells(t, Options{})
	of := func(cells ...*Cell) map[string]Written {
		out := map[string]Written{}
		for _, w := range Writes([]Config{{Cells: cells}}) {
			if _, twice := out[w.Place]; twice {
				t.Errorf("%s is there twice", w.Place)
			}
			out[w.Place] = w
		}
		return out
	}
	// Only reads: the file alone, 1 GiB once for four rows.
	if got := of(blocks["reads"]...); len(got) != 1 || got["nas.tank"] != (Written{Place: "nas.tank", Host: "nas", Path: "/mnt/tank", Bytes: unit.GiB, Room: unit.GiB}) {
		t.Errorf("reads: %+v", got)
	}
	// Two of four cells read alone; what a drive takes in three repeats of a second and three is not known.
	if got := of(blocks["here"]...)["nas.tank"]; got.Bytes != 2*unit.GiB || got.For != 2*3*4*time.Second {
		t.Errorf("here: %+v", got)
	}
	// With its drive's rate it is: 8 Gb/s are 1 GB a second.
	blocks["here"][0].block.drive.Write = 8e9
	if got := of(blocks["here"]...)["nas.tank"]; got.Bytes != 2*unit.GiB+24e9 || got.For != 0 {
		t.Errorf("here, of a drive whose rate is known: %+v", got)
	}
	c := blocks["here"][1] // of an amount, a share of 70 %
	if c.block.job.Read != 0.3 {
		t.Fatalf("%+v", c.block.job)
	}
	c.block.job.Amount = 10e9
	if got := of(c)["nas.tank"]; got.Bytes != 2*unit.GiB+3*7e9 {
		t.Errorf("an amount: %+v", got)
	}
	c.block.job.Amount, c.block.job.Read, c.block.job.Verify = 0, 1, true // each repeat has its own data
	if got := of(c)["nas.tank"]; got.Bytes != 3*2*unit.GiB || got.Room != 2*unit.GiB || got.For != 0 {
		t.Errorf("verified: %+v", got)
	}
	c.block.job.Verify, c.block.workers[0].target = false, "/dev/nvme0n1"
	if got := of(c); len(got) != 0 {
		t.Errorf("a device that is only read: %+v", got)
	}
	if c.block.job.Read = 0; len(of(c)) != 0 {
		t.Errorf("a device that nobody named: %+v", of(c))
	}
	if c.block.workers[0].destroy = "/dev/nvme0n1=S1"; of(c)["nas.tank"].Bytes != 3*4e9 {
		t.Errorf("a device: %+v", of(c))
	}

	if got := of(copies["here"][0]); got["pc.disk"].Bytes != 1e9 || got["pc.other"].Bytes != 3e9 || got["pc.other"].Room != 1e9 || len(got) != 2 {
		t.Errorf("copies: %+v", got)
	}
	c = copies["here"][0]
	if c.Exp.NotRun = "for the test"; len(of(c)) != 0 {
		t.Errorf("what is not run writes: %+v", of(c))
	}
	c.Exp.NotRun, c.copy.take, c.Exp.Settings = "", true, map[string]string{} // from a file, perhaps
	if got := of(c); got["pc.disk"].Bytes != 0 || got["pc.other"].Bytes != 3e9 {
		t.Errorf("a copy of what is there: %+v", got)
	}
}
