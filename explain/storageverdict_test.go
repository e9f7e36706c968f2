package explain

import (
	"strings"
	"testing"

	"linerate/path"
	"linerate/result"
	"linerate/unit"
)

// stored is a cell of block over a network, changed by what a case needs.
func stored(load, read string, bytes float64, change ...func(*result.Experiment)) *result.Experiment {
	cores, own := 0.6, 0.3
	count := &result.BlockCount{Bytes: int64(bytes), Operations: int64(bytes / 4096), IOPS: bytes / 4096, BytesPerSecond: bytes}
	e := &result.Experiment{Name: "x", Method: "block", From: "pc", To: "nas.tank", Direction: "out", Settings: map[string]string{"load": load, "read": read},
		Bytes: &result.Estimate{Median: bytes}, IOPS: &result.Estimate{Median: bytes / 4096}, Latency: &result.Latency{P50: 200e-6},
		Ceiling: &path.Chain{Limit: 8e9, Component: "link pc.a--nas.a", Hops: []path.Hop{{Component: "link pc.a--nas.a", Kind: "cable", Rate: unit.Known(unit.BitRate(8e9))}}},
		Block: &result.Block{Workers: []result.BlockWorker{{Host: "pc"}}, Hosts: []result.BlockHost{{Host: "pc", Asks: true, Cores: &cores, Own: &own, Of: 4},
			{Host: "nas", Stores: true, Cores: &cores, Own: &own, Of: 4, Drives: []result.DriveCount{{Name: "sda", ReadBytes: int64(bytes), WrittenBytes: int64(bytes), Busy: 0.5}}}}}}
	if read == "0%" {
		e.Block.Write = count
	} else {
		e.Block.Read = count
	}
	for _, f := range change {
		f(e)
	}
	return e
}

func drive(busy, share float64) func(*result.Experiment) {
	return func(e *result.Experiment) {
		d := &e.Block.Hosts[1].Drives[0]
		d.Busy, d.ReadBytes, d.WrittenBytes = busy, int64(float64(d.ReadBytes)*share), int64(float64(d.WrittenBytes)*share)
	}
}

func TestStorageVerdict(t *testing.T) {
	own := func(v float64) func(*result.Experiment) {
		return func(e *result.Experiment) { e.Block.Hosts[0].Own = &v }
	}
	cores := func(v float64) func(*result.Experiment) {
		return func(e *result.Experiment) { e.Block.Hosts[1].Cores = &v }
	}
	deep := stored("RND4K-Q32T1", "100%", 400e6)
	for _, c := range []struct {
		name                string
		e                   *result.Experiment
		beside              []*result.Experiment
		limiter, confidence string
		says                string
	}{
		{"the network is full", stored("SEQ1M-Q8T1", "100%", 970e6), nil, "link", "proved", "970 MB/s of 1.00 GB/s"},
		{"the network is full, and all of it came from memory", stored("SEQ1M-Q8T1", "100%", 970e6, drive(0, 0)), nil, "link", "proved", "reaches what link"},
		{"read from memory", stored("SEQ1M-Q8T1", "100%", 600e6, drive(0.01, 0.02)), nil, "page-cache-read", "proved", "sda of nas moved 12.0 MB"},
		{"written into memory", stored("SEQ1M-Q8T1", "0%", 600e6, drive(0.4, 0.3)), nil, "page-cache-write", "proved", "600 MB that were written"},
		{"half of it from memory is the drive's", stored("SEQ1M-Q8T1", "100%", 600e6, drive(0.99, 0.6)), nil, "media-limit", "likely", "sda of nas"},
		{"the drive is busy", stored("SEQ1M-Q8T1", "100%", 500e6, drive(0.99, 1)), nil, "media-limit", "likely", "99.0 % of the time, and gave 500 MB/s"},
		{"and more requests give no more", stored("SEQ1M-Q8T1", "100%", 500e6, drive(0.99, 1)), []*result.Experiment{stored("SEQ1M-Q32T1", "100%", 510e6)}, "media-limit", "proved", "sda of nas"},
		{"more requests give more, however busy the drive is", stored("RND4K-Q1T1", "100%", 40e6, drive(1, 1)), []*result.Experiment{deep}, "one-connection", "proved", "RND4K-Q32T1, read) it gives 400 MB/s"},
		{"those of another block, or that write, say nothing of it", stored("RND4K-Q1T1", "100%", 40e6, drive(1, 1)), []*result.Experiment{stored("RND8K-Q32T1", "100%", 400e6), stored("RND4K-Q32T1", "0%", 400e6)}, "one-connection", "likely", "one request under way at a time, and each takes 200 us"},
		{"the thread that asks", stored("RND4K-Q32T1", "100%", 400e6, own(0.97)), nil, "cpu-per-request", "likely", "1 thread on pc had no time left"},
		{"two threads have two cores", stored("RND4K-Q32T2", "100%", 400e6, own(0.97)), nil, Unexplained, "", "no processor, drive or link"},
		{"the host that stores", stored("RND4K-Q32T1", "100%", 400e6, cores(3.95)), nil, "cpu-per-request", "likely", "processor of nas"},
		{"nothing is full", stored("RND4K-Q32T1", "100%", 400e6), nil, Unexplained, "", "is not explained"},
	} {
		v := storageVerdict(c.e, append([]*result.Experiment{c.e}, c.beside...))
		if v == nil || v.Limiter != c.limiter || v.Confidence != c.confidence || !strings.Contains(v.Sentence, c.says) {
			t.Errorf("%s: %+v, want %s (%s), %q", c.name, v, c.limiter, c.confidence, c.says)
		}
	}
	e := stored("RND4K-Q1T1", "100%", 0)
	if v := storageVerdict(e, nil); v != nil {
		t.Errorf("nothing was read: %+v", v)
	}
}
