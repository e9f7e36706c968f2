package storage

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// copiedOver returns a copy of 1 GB from sda of nas to sdb of pc over a link of 1 GB/s, changed by what a case needs.
func copiedOver(streams string, rate float64, change ...func(*record.Experiment)) *record.Experiment {
	const amount = 1e9
	cores, sync := 0.6, 0.05
	e := &record.Experiment{Name: "x", Method: "copy", From: "nas.tank", To: "pc.disk", Direction: "out",
		Settings: map[string]string{"streams": streams},
		Bytes:    &record.Estimate{Median: rate}, Seconds: &record.Estimate{Median: amount / rate},
		Ceiling: &record.Chain{Limit: 8e9, Component: "link pc.a--nas.a",
			Hops: []record.Hop{{Component: "link pc.a--nas.a", Kind: "cable", Rate: unit.Known(unit.BitRate(8e9))}}},
		Copy: &record.Copy{Over: "ssh", Tool: "scp", On: "pc", Bytes: amount, Files: 1,
			Legs: []record.CopyLeg{{From: record.CopyPlace{Host: "nas", Path: "/mnt/tank", FileSystem: "ext4",
				Devices: []string{"sda"}}, To: record.CopyPlace{Host: "pc", Path: "/home", FileSystem: "ext4",
				Devices: []string{"sdb"}},
				Bytes: amount, Seconds: amount / rate, Sync: &sync, Verified: true}},
			Hosts: []record.BlockHost{{Host: "pc", Asks: true, Cores: &cores, Of: 4,
				Drives: []record.DriveCount{{Name: "sdb", WrittenBytes: amount, Busy: 0.5}}},
				{Host: "nas", Stores: true, Cores: &cores, Of: 4, Drives: []record.DriveCount{{Name: "sda", ReadBytes: amount,
					Busy: 0.5}}}},
			Threads: []record.CopyThread{{Name: "ssh", CPU: 0.4 * amount / rate, Seconds: amount / rate}}}}
	for _, f := range change {
		f(e)
	}
	return e
}

// copyCase is a combination of copy with its true verdict.
type copyCase struct {
	name                string
	e                   *record.Experiment
	others              []*record.Experiment
	limiter, confidence string
	says                string
}

func copyCases() []copyCase {
	type change = func(*record.Experiment)
	drive := func(host int, busy, share float64) change {
		return func(e *record.Experiment) {
			d := &e.Copy.Hosts[host].Drives[0]
			d.Busy, d.ReadBytes, d.WrittenBytes = busy, int64(float64(d.ReadBytes)*share), int64(float64(d.WrittenBytes)*share)
		}
	}
	thread := func(share float64) change {
		return func(e *record.Experiment) { e.Copy.Threads[0].CPU = share * e.Copy.Threads[0].Seconds }
	}
	sync := func(share float64) change {
		return func(e *record.Experiment) { v := share * e.Copy.Legs[0].Seconds; e.Copy.Legs[0].Sync = &v }
	}
	return []copyCase{
		{"the network is full", copiedOver("1", 950e6), nil, "link", "proved", "950 MB/s of 1.00 GB/s"},
		{"the network is full, and the source was cached", copiedOver("1", 950e6, drive(1, 0, 0)), nil, "link", "proved",
			"reaches what link"},
		{"the source was cached", copiedOver("1", 500e6, drive(1, 0.01, 0.1)), nil, "page-cache-read", "proved",
			"sda of nas moved 100 MB"},
		{"the target kept it", copiedOver("1", 500e6, drive(0, 0.2, 0.2)), nil, "page-cache-write", "proved",
			"sdb of pc moved 200 MB"},
		{"the source lies in memory", copiedOver("1", 500e6, func(e *record.Experiment) {
			e.Copy.Legs[0].From.FileSystem = "tmpfs"
		}), nil, "page-cache-read", "proved", "/mnt/tank of nas is tmpfs, which is memory"},
		{"the source is slow", copiedOver("1", 300e6, drive(1, 0.98, 1)), nil, "media-limit", "likely", "drive sda of nas"},
		{"the target is slow", copiedOver("1", 300e6, drive(0, 0.98, 1)), nil, "media-limit", "likely", "drive sdb of pc"},
		{"the target is slow, and the source was cached", copiedOver("1", 300e6, drive(0, 0.98, 1), drive(1, 0, 0)), nil,
			"media-limit", "likely", "drive sdb of pc"},
		{"the sync takes most of it", copiedOver("1", 300e6, sync(0.6), drive(0, 0.7, 1)), nil, "media-limit", "likely",
			"waits for the medium of pc"},
		{"the sync takes most of it, and the drive is not seen to", copiedOver("1", 300e6, sync(0.6)), nil,
			record.LimiterUnexplained, "", "is not explained."},
		{"the sync takes a quarter of it", copiedOver("1", 300e6, sync(0.27), drive(0, 0.7, 1)), nil,
			record.LimiterUnexplained, "", "is not explained."},
		{"a drive is busy with something else", copiedOver("1", 300e6, drive(0, 0.98, 0.1)), nil,
			record.LimiterUnexplained, "", "is not explained."},
		{"the cipher", copiedOver("1", 300e6, thread(0.98)), nil, "cpu-per-request", "likely", "one thread of ssh on pc"},
		{"a thread that was there for a moment says nothing", copiedOver("1", 300e6, thread(0.98),
			func(e *record.Experiment) { e.Copy.Threads[0].Seconds /= 10; e.Copy.Threads[0].CPU /= 10 }), nil,
			record.LimiterUnexplained, "", "is not explained"},
		{"a host is full", copiedOver("1", 300e6, func(e *record.Experiment) { v := 3.99; e.Copy.Hosts[1].Cores = &v }), nil,
			"cpu-per-request", "likely", "CPU of nas"},
		{"a host is full of other work", copiedOver("1", 300e6, func(e *record.Experiment) {
			v := 3.99
			e.Copy.Hosts[1].Cores, e.Repeats = &v, []record.Repeat{{OtherProcesses: 3.5}, {OtherProcesses: 3}}
		}), nil, "cpu-per-request", "likely", "in use, most of it by other work"},
		{"several at once give more", copiedOver("1", 300e6), []*record.Experiment{copiedOver("3", 600e6)}, "one-connection",
			"proved", "3 give 600 MB/s in place of 300 MB/s"},
		{"several of another experiment say nothing", copiedOver("1", 300e6),
			[]*record.Experiment{copiedOver("3", 600e6, func(e *record.Experiment) { e.Settings["tool"] = "rsync" })},
			record.LimiterUnexplained, "", "is not explained"},
		{"several that give no more", copiedOver("1", 300e6), []*record.Experiment{copiedOver("3", 310e6)},
			record.LimiterUnexplained, "", "300 MB/s"},
	}
}

func TestCopyVerdict(t *testing.T) {
	for _, c := range copyCases() {
		v := CopyVerdict(CopyCauses(), c.e, append([]*record.Experiment{c.e}, c.others...))
		if v == nil || v.Limiter != c.limiter || v.Confidence != c.confidence || !strings.Contains(v.Sentence, c.says) {
			t.Errorf("%s: %+v, want %s (%s), %q", c.name, v, c.limiter, c.confidence, c.says)
		}
	}
	if v := CopyVerdict(CopyCauses(), &record.Experiment{Method: "copy"}, nil); v != nil {
		t.Errorf("nothing was copied: %+v", v)
	}
}
