package traffic

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

const ms = int64(time.Millisecond)

// read is one read of one stream: n bytes at stamp, and what the kernel reports as left.
type read struct {
	stream int
	stamp  int64
	n      int
	held   int64
}

// counted feeds reads to counters as receivers would. The interval lies in the future of this process's clock, so that
// no stamp is late.
func counted(w Interval, streams int, reads []read) []*Counter {
	counters := make([]*Counter, streams)
	for i := range counters {
		counters[i] = NewCounter(w)
	}
	for _, r := range reads {
		counters[r.stream].Add(r.stamp, r.n, func() int64 { return r.held })
	}
	return counters
}

func testInterval(length time.Duration) Interval {
	return NewInterval(Now()+int64(time.Hour), Setup{Warmup: 100 * time.Millisecond, Interval: length}, 0)
}

func TestCut(t *testing.T) {
	w := testInterval(time.Second)
	at := func(milliseconds int64) int64 { return w.Open + milliseconds*ms }
	for _, c := range []struct {
		name    string
		streams int
		reads   []read
		bytes   int64
		from    int64 // milliseconds of the interval
		to      int64
		warning string
	}{
		{name: "the first read is left out, the last one counts", streams: 1,
			reads: []read{{0, at(-5), 1000, 0}, {0, at(10), 100, 0}, {0, at(500), 200, 0}, {0, at(990), 400, 0},
				{0, at(1005), 5000, 0}},
			bytes: 600, from: 10, to: 990},
		{name: "streams that take turns have one common window", streams: 2,
			reads: []read{{0, at(10), 100, 0}, {0, at(490), 480, 0}, {1, at(510), 20, 0}, {1, at(990), 480, 0}},
			bytes: 980, from: 10, to: 990},
		{name: "a stream without reads", streams: 2,
			reads: []read{{0, at(10), 100, 0}, {0, at(990), 980, 0}}, bytes: 980, from: 10, to: 990},
		{name: "edges are the reads that were least late", streams: 2,
			reads: []read{{0, at(5), 100, 900}, {1, at(7), 30, 5}, {0, at(10), 900, 0}, {1, at(12), 5, 0},
				{0, at(980), 1000, 0}, {1, at(985), 50, 70}, {0, at(990), 10, 500}},
			bytes: 1050, from: 12, to: 985},
		{name: "a backlog that shrinks is not the link's", streams: 1,
			reads: []read{{0, at(10), 100, 500}, {0, at(990), 1500, 100}}, bytes: 1100, from: 10, to: 990},
		{name: "a backlog that grows is not the reader's", streams: 1,
			reads: []read{{0, at(10), 100, 100}, {0, at(990), 1500, 500}}, bytes: 1500, from: 10, to: 990},
		{name: "a system that does not say what is held", streams: 1,
			reads: []read{{0, at(10), 100, -1}, {0, at(20), 100, -1}, {0, at(980), 500, -1}, {0, at(990), 1500, -1}},
			bytes: 2000, from: 20, to: 990},
		{name: "late reads are not edges", streams: 1,
			reads: []read{{0, at(10), 1, 0}, {0, at(15), 10, 0}, {0, at(20), 1, 0}, {0, at(500), 500, 0}, {0, at(970), 470, 0},
				{0, at(990), 5, 0}}, bytes: 971, from: 15, to: 970},
		{name: "a link that goes dead", streams: 1,
			reads: []read{{0, at(10), 100, 0}, {0, at(300), 290, 0}}, bytes: 290, from: 10, to: 1000, warning: "last 700ms"},
		{name: "a link that wakes up late", streams: 1,
			reads: []read{{0, at(600), 100, 0}, {0, at(990), 390, 0}}, bytes: 390, from: 0, to: 990, warning: "first 600ms"},
		{name: "one read", streams: 1, reads: []read{{0, at(500), 100, 0}}, bytes: 0, from: 0, to: 1000, warning: "first"},
		{name: "nothing", streams: 3, bytes: 0, from: 0, to: 1000, warning: "nothing was received"},
	} {
		s := cut(w, counted(w, c.streams, c.reads), nil, nil)
		if s.bytes != c.bytes || s.start != at(c.from) || s.end != at(c.to) {
			t.Errorf("%s: %d bytes in %d .. %d ms, want %d in %d .. %d", c.name, s.bytes, (s.start-w.Open)/ms,
				(s.end-w.Open)/ms, c.bytes, c.from, c.to)
		}
		if got := strings.Join(s.warnings, "; "); !strings.Contains(got, c.warning) || c.warning == "" && got != "" {
			t.Errorf("%s: warnings %q, want one with %q", c.name, got, c.warning)
		}
	}
}

// A link delivers packets of up to 64 KiB one after the other, each when its last bit has arrived. Whatever streams
// they belong to, goodput is the link's rate within the packets at the two edges, and never above it by more than one
// of them: what is left comes from a reader that sleeps before an edge.
func TestCutNeverExceedsTheLink(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 1))
		bitsPerSecond := []float64{100e6, 1e9, 10e9}[random.IntN(3)]
		streams := 1 + random.IntN(8)
		w := testInterval(time.Second)
		var reads []read
		turn := 0
		for at := float64(w.Begin); at < float64(w.Stop); {
			if random.IntN(20) == 0 {
				turn = random.IntN(streams) // streams alternate after very different times
			}
			n := 1448 * (1 + random.IntN(45))
			at += float64(n) * 8 / bitsPerSecond * 1e9
			reads = append(reads, read{turn, int64(at), n, 0})
		}
		s := cut(w, counted(w, streams, reads), nil, nil)
		if ratio := s.goodput() / bitsPerSecond; ratio > 1+1e-6 || ratio < 1-1e-6 {
			t.Fatalf("seed %d, %d streams: %v of the link's rate", seed, streams, ratio)
		}
		var sum int64
		for _, v := range s.Streams {
			sum += v
		}
		if sum != s.bytes {
			t.Fatalf("seed %d: the streams sum to %d, all to %d", seed, sum, s.bytes)
		}
	}
}

func TestSlices(t *testing.T) {
	for _, c := range []struct {
		interval time.Duration
		slices   int
		step     time.Duration
	}{
		{time.Millisecond, 1, 100 * time.Millisecond}, {time.Second, 10, 100 * time.Millisecond},
		{1050 * time.Millisecond, 11, 100 * time.Millisecond},
		{300 * time.Second, 3000, 100 * time.Millisecond}, {301 * time.Second, 1505, 200 * time.Millisecond},
		{24 * time.Hour, 3000, 28800 * time.Millisecond},
	} {
		w := testInterval(c.interval)
		if w.Slices() != c.slices || w.Step != int64(c.step) {
			t.Errorf("%v: %d slices of %v, want %d of %v", c.interval, w.Slices(), time.Duration(w.Step), c.slices, c.step)
		}
		for _, stamp := range []int64{w.Open - 1, w.Close} {
			if w.Slice(stamp) != -1 {
				t.Errorf("%v: a stamp outside is in slice %d", c.interval, w.Slice(stamp))
			}
		}
		if w.Slice(w.Open) != 0 || w.Slice(w.Close-1) != c.slices-1 {
			t.Errorf("%v: edges in %d and %d", c.interval, w.Slice(w.Open), w.Slice(w.Close-1))
		}
	}
	w := testInterval(250 * time.Millisecond)
	x := NewCounter(w)
	for _, stamp := range []int64{w.Open - 1, w.Close, w.Open, w.Open - 1, w.Open + 100*ms - 1, w.Open + 100*ms,
		w.Open + 250*ms - 1, w.Open + 249*ms, w.Open, w.Close + ms} {
		if x.Add(stamp, 1, func() int64 { return 0 }); x.at != w.Slice(stamp) {
			t.Errorf("a read at %d is in slice %d, want %d", stamp-w.Open, x.at, w.Slice(stamp))
		}
	}
	c := counted(w, 1, []read{{0, w.Open, 1000, 0}, {0, w.Open + 150*ms, 1000, 0}, {0, w.Open + 240*ms, 1000, 0}})
	if got := series(w, c); len(got) != 3 || got[0] != 80e3 || got[2] != 160e3 {
		t.Errorf("series %v: the last slice is half as long", got)
	}
}
