package storage

import (
	"errors"
	"strings"
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
)

// A complete repeat that read wrong blocks is an error with all its counts, and counts in no figure.
func TestWrongData(t *testing.T) {
	right := &record.BlockVerified{Right: 1000, Unknown: 3, NotReadBack: 2}
	rep := record.Repeat{
		Seconds: 5,
		P50:     1e-3,
		Block: &record.Block{Read: &record.BlockCount{Operations: 900, BytesPerSecond: 4e6, IOPS: 1000},
			Workers: []record.BlockWorker{{Host: "pc", Path: "/mnt/a"}, {Host: "nas", Path: "/mnt/b", Verified: right}}},
	}
	if err := wrongDataError(&rep); err != nil {
		t.Fatalf("nothing was wrong: %v", err)
	}
	rep.Block.Workers[1].Verified = &record.BlockVerified{Right: 997, Wrong: 3,
		Blocks: []record.WrongBlock{{Offset: 28672, Kind: "zeros", Text: "zeros", Seconds: 1.2}}}
	err := wrongDataError(&rep)
	c := &experiment.Combination{Record: &record.Experiment{Repeats: make([]record.Repeat, 2)}}
	if err == nil || !noteBroken(c, err) || isLost(err) {
		t.Fatalf("it is not reported: %v", err)
	}
	for _, want := range []string{"nas: /mnt/b: 3 of 1000 blocks that were read and compared are not what was " +
		"written, such as that of offset 28672, seen 1.20 s after the interval began: there was " +
		"zeros", "dmesg", "in this interval (5.00 s, in no figure) 4.00 MB/s read, 1.00 k IOPS"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if b := c.Record.Broken; b == nil || b.Repeat != 2 || b.Host != "nas" || b.Operations != 900 || b.After != 5 ||
		b.P50 != 1e-3 ||
		b.Block != rep.Block {
		t.Errorf("%+v", b)
	}
	lost := &brokenWorkload{cause: errors.New("pc: gone"),
		Broken: record.Broken{Block: rep.Block, Operations: 1, After: 2}}
	if text := lost.Error(); !strings.Contains(text, "pc: gone; nas: /mnt/b: 3 of 1000 blocks") ||
		!strings.Contains(text, "until then (2.00 s") {
		t.Errorf("a repeat that broke off says nothing of wrong blocks: %q", text)
	}
}

// Failures and comparisons of all repeats are in the experiment, not only those of the last one.
func TestFaultsOfAllRepeats(t *testing.T) {
	repeat := func(iops float64, errors int64, v *record.BlockVerified) record.Repeat {
		w := record.BlockWorker{Host: "pc", Read: 100, ErrorCount: errors, Verified: v}
		if errors > 0 {
			w.Errors = []record.BlockError{{Op: "read", Offset: 4096 * errors}}
		}
		return record.Repeat{
			Seconds: 1,
			Block: &record.Block{
				Read:    &record.BlockCount{Operations: 100, IOPS: iops, Bytes: 409600, BytesPerSecond: 4096 * iops},
				Workers: []record.BlockWorker{w, {Host: "far"}},
			},
		}
	}
	e := &record.Experiment{Method: method.Storage, Settings: map[string]string{}, Repeats: []record.Repeat{
		repeat(
			100,
			2,
			&record.BlockVerified{Right: 10, Wrong: 1, Unknown: 4, ReadBack: 5, NotReadBack: 6,
				Blocks: []record.WrongBlock{{Offset: 512}}},
		),
		repeat(120, 0, nil),
		repeat(110, 3, &record.BlockVerified{Right: 20, ReadBack: 1}),
	}}
	if err := (&workload{c: &experiment.Combination{Record: e}}).Summarize(); err != nil {
		t.Fatal(err)
	}
	w := e.Block.Workers[0]
	if v := w.Verified; v == nil || v.Right != 30 || v.Wrong != 1 || v.Unknown != 4 || v.ReadBack != 6 ||
		v.NotReadBack != 6 ||
		len(v.Blocks) != 1 ||
		v.Blocks[0].Offset != 512 {
		t.Errorf("compared: %+v", v)
	}
	if w.ErrorCount != 5 || len(w.Errors) != 2 || w.Errors[0].Offset != 8192 || w.Read != 100 ||
		e.Block.Read.IOPS != 110 {
		t.Errorf("%+v, %+v", w, e.Block.Read)
	}
	if far := e.Block.Workers[1]; far.Verified != nil || far.ErrorCount != 0 || far.Errors != nil {
		t.Errorf("the other worker: %+v", far)
	}
	if last := e.Repeats[2].Block.Workers[0]; last.ErrorCount != 3 || last.Verified.Right != 20 ||
		e.Repeats[0].Block.Workers[0].Verified.Right != 10 {
		t.Error("the repeats themselves were changed")
	}
}
