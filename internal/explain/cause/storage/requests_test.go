package storage

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

const vdi, sql = "MIX80-8K-Q8T1:100%+MIX20-32K-Q8T1:0%", "RND8K-Q32T1:70%+SEQ32K-Q1T1:0%"

// worksAs gives a combination the workers of concurrent loads on each host, with an engine.
func worksAs(way string, hosts []string, loads ...string) func(*record.Experiment) {
	return func(e *record.Experiment) {
		e.Block.Workers = nil
		for _, host := range hosts {
			for _, load := range loads {
				w := record.BlockWorker{Host: host, Way: way}
				if len(loads) > 1 {
					w.Load = load
				}
				e.Block.Workers = append(e.Block.Workers, w)
			}
		}
	}
}

// A load with its own share of reads, and several at once, have the number of requests in flight that they configure.
func TestRequestsAtOnce(t *testing.T) {
	for _, c := range []struct {
		load string
		e    *record.Experiment
		want int
	}{
		{"one of a thread", stored("RND4K-Q1T1", "100%", 1e6), 1},
		{"its own share of reads", stored("MIX50-4K-Q32T1:90%", "", 1e6), 32},
		{"threads", stored("RND4K-Q8T2:100%", "", 1e6, worksAs("ring", []string{"a", "b"}, "")), 32},
		{"two loads at once", stored(vdi, "", 1e6, worksAs("ring", []string{"pc"}, strings.Split(vdi, "+")...)), 16},
		{"two loads at once, which the workers do not name", stored(sql, "", 1e6, worksAs("ring", []string{"pc", "pc"}, "")),
			33},
		{"two loads at once on two hosts", stored(sql, "", 1e6, worksAs("ring", []string{"a", "b"},
			strings.Split(sql, "+")...)), 66},
		{"depth and threads", stored("", "100%", 1e6, func(e *record.Experiment) {
			e.Settings["depth"],
				e.Settings["threads"] = "4", "3"
		}), 12},
	} {
		if got := allRequests(c.e); got != c.want {
			t.Errorf("%s: %d requests, not %d", c.load, got, c.want)
		}
	}
}

// A load with its own share of reads is not a single request, and a drive that it keeps busy is the bottleneck.
func TestLoadsWithReads(t *testing.T) {
	says(t, "32 at once", reported(stored("MIX50-4K-Q32T1:100%", "", 400e6), nil, nil), record.LimiterUnexplained, "")
	says(t, "a busy drive", reported(stored("RND4K-Q32T1:100%", "", 400e6, drive(0.99, 1)), nil, nil), "media-limit",
		"likely", "sda of nas")
	says(t, "the same with more", reported(stored("RND4K-Q8T1:70%", "", 100e6, drive(0.9, 1)),
		[]*record.Experiment{stored("RND4K-Q32T1:70%", "", 200e6)}, nil), "one-connection", "proved", "RND4K-Q32T1:70%")
}

// Loads that differ in more than their requests are not compared.
func TestLoadsThatDiffer(t *testing.T) {
	two := func(load string, bytes float64, change ...func(*record.Experiment)) *record.Experiment {
		return stored(load, "", bytes, append(change, worksAs("ring", []string{"pc"}, strings.Split(load, "+")...))...)
	}
	general := stored("MIX50-4K-Q32T1:90%", "", 100e6, drive(0.99, 1))
	for name, others := range map[string]*record.Experiment{
		"several at once, faster":  two("MIX80-8K-Q32T1:100%+MIX20-32K-Q8T1:0%", 200e6),
		"several at once, as fast": two(sql, 105e6),
		"another share of reads":   stored("MIX50-4K-Q64T1:70%", "", 200e6),
		"another mix":              stored("MIX80-4K-Q64T1:90%", "", 200e6),
		"no load":                  stored("x", "", 200e6),
	} {
		if d := deeperThan(general, []*record.Experiment{general, others}); d != nil {
			t.Errorf("%s is not the same with more requests", name)
		}
		says(t, name, reported(general, []*record.Experiment{others}, nil), "media-limit", "likely", "sda of nas")
	}
	less := two(vdi, 100e6, drive(0.99, 1))
	more := two("MIX80-8K-Q32T1:100%+MIX20-32K-Q8T1:0%", 102e6)
	if d := deeperThan(less, []*record.Experiment{less, more}); d != more {
		t.Error("the same loads with more requests were not found")
	}
	says(t, "the same loads with more", reported(less, []*record.Experiment{more}, nil), "media-limit", "proved",
		"sda of nas")
}

// The CPU time of a host is compared with all of its requesting OS threads, not with those of one worker.
func TestThreadsThatAsk(t *testing.T) {
	own := func(v float64) func(*record.Experiment) {
		return func(e *record.Experiment) { e.Block.Hosts[0].Own = &v }
	}
	two := worksAs("ring", []string{"pc", "pc"}, "")
	waits := worksAs("threads", []string{"pc"}, "")
	says(t, "32 calls that wait", reported(stored("RND4K-Q32T1", "100%", 400e6, own(0.97), waits), nil, nil),
		record.LimiterUnexplained, "")
	says(t, "32 calls that wait, and all cores", reported(stored("RND4K-Q32T1", "100%", 400e6, own(3.8), waits), nil, nil),
		"cpu-per-request", "likely", "32 threads on pc had no time left")
	says(t, "two workers", reported(stored("RND4K-Q32T1", "100%", 400e6, own(0.97), two), nil, nil),
		record.LimiterUnexplained, "")
	says(t, "two workers, both full", reported(stored("RND4K-Q32T1", "100%", 400e6, own(1.9), two), nil, nil),
		"cpu-per-request", "likely", "2 threads on pc had no time left")
	elsewhere := worksAs("ring", []string{"pc", "other"}, "")
	says(t, "another host's worker has cores of its own",
		reported(stored("RND4K-Q32T1", "100%", 400e6, own(0.97), elsewhere), nil, nil), "cpu-per-request", "likely",
		"1 thread on pc had no time left")

	making := func(made float64) func(*record.Experiment) {
		return func(e *record.Experiment) { e.Block.Workers[0].Making = made }
	}
	v := reported(stored("SEQ1M-Q8T1", "0%", 600e6, own(0.97), two, making(0.6)), nil, nil)
	says(t, "two workers, of which one makes data", v, record.LimiterUnexplained, "")
	if v != nil && (len(v.Candidates) != 1 || v.Candidates[0].Limiter != "source-generator") {
		t.Errorf("%+v", v.Candidates)
	}
	says(t, "calls that wait, some of the time",
		reported(stored("SEQ1M-Q8T1", "0%", 600e6, own(1.2), waits, making(0.6)), nil, nil), record.LimiterUnexplained,
		"")
	says(t, "calls that wait make one block after another", reported(stored("SEQ1M-Q8T1", "0%", 600e6, own(1.2), waits,
		making(0.95)), nil, nil), "source-generator", "likely", "95 % of the time")
}
