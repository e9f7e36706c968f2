package storage

import (
	"errors"
	"strings"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/run/remote"
)

// The samples of a worker whose host is gone are recorded, with the counts of the others.
func TestSampledUntilLost(t *testing.T) {
	const open = 1_000_000_000_000
	lost := &participant{End: remote.End{Host: "pc"}, worker: 0, run: &agent.BlockRun{}}
	lost.run.Ready.Path, lost.run.Ready.Kind = "/mnt/nas", "folder"
	var rows []record.Sample
	add := func(host, metric string, second, value float64) {
		rows = append(rows,
			record.Sample{End: host, Stream: -1, Metric: metric, TimeNS: open + int64(second*1e9), Value: value})
	}
	for _, s := range []float64{0.5, 1, 1.5} {
		add("pc", "reads", s, 1000)
		add("pc", "read_bytes", s, 4096000)
		add("pc", "writes", s, 0)
		add("pc", "written_bytes", s, 0)
		add("nas", "reads", s, 7)
		add("pc", "cpu.0.user", s, 1)
	}
	off := &brokenWorkload{cause: errors.New("pc: the agent is gone")}
	off.sampled([]*participant{lost}, rows, open)
	b := off.Block
	if b == nil || len(b.Workers) != 1 || b.Workers[0].Read != 1500 || b.Workers[0].Write != 0 || b.Write != nil ||
		b.Read.Bytes != 6144000 ||
		b.Read.IOPS != 1000 ||
		off.After != 1.5 ||
		off.Last != 1.5 ||
		off.Operations != 1500 {
		t.Fatalf("%+v, %+v", off.Broken, b)
	}
	if text := off.Error(); !strings.HasPrefix(text,
		"pc: the agent is gone; until then (1.50 s of the interval, in no figure) 4.10 MB/s read, 1.00 k IOPS") {
		t.Error(text)
	}
	other := &brokenWorkload{
		cause: errors.New("x"),
		Broken: record.Broken{After: 2, Operations: 100,
			Block: &record.Block{Read: &record.BlockCount{Operations: 100, Bytes: 409600}}},
	}
	other.sampled([]*participant{lost}, rows, open)
	if k := other.Block.Read; k.Operations != 1600 || k.IOPS != 800 || other.After != 2 || other.Operations != 1600 {
		t.Errorf("%+v, %+v", other.Broken, k)
	}
	empty := &brokenWorkload{cause: errors.New("x")}
	if empty.sampled([]*participant{lost}, nil, open); empty.Block != nil ||
		!strings.Contains(empty.Error(), "nothing was answered") {
		t.Errorf("%+v", empty)
	}
}
