package traffic

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// A full link of 1 Gb/s that stands still now and then and makes up for it, as a token bucket does, and readers that
// take what has come some time later, one of them much later than the others: over 10 s the figure is within 0.01 % of
// the link's, and above it by no more than 3 parts in a million.
func TestCutWithLateReaders(t *testing.T) {
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 2))
		streams := []int{1, 4, 64}[seed%3]
		w := testInterval(10 * time.Second)
		type packet struct {
			at     int64
			stream int
		}
		const size, each = 30_000, 240_000 // bytes, nanoseconds
		var packets []packet
		stopped := int64(0)
		for at := w.Begin; at < w.Stop; at += each {
			if random.IntN(2000) == 0 {
				stopped = at + int64(random.IntN(2_000_000))
			}
			packets = append(packets, packet{max(at, stopped), random.IntN(streams)})
		}
		next := make([]int64, streams) // when a reader reads again
		waits := make([]int, streams)
		var reads []read
		for _, p := range packets {
			for s := range next {
				if waits[s] > 0 && next[s] <= p.at {
					reads = append(reads, read{s, next[s], waits[s], 0})
					waits[s] = 0
				}
			}
			if waits[p.stream] == 0 {
				late := 5_000 + random.ExpFloat64()*30_000
				if p.stream == 0 && random.IntN(10) == 0 {
					late += 3e6
				}
				next[p.stream] = p.at + int64(late)
			}
			waits[p.stream] += size
		}
		slices.SortStableFunc(reads, func(a, b read) int { return int(a.stamp - b.stamp) })
		s := cut(w, counted(w, streams, reads), nil, nil)
		ratio := s.goodput() / 1e9
		if ratio > 1+3e-6 || ratio < 1-1e-4 {
			t.Errorf("seed %d, %d streams: %+.1f parts in a million", seed, streams, (ratio-1)*1e6)
		}
	}
}

// Readers that are behind at the beginning and have caught up at the end have read more than arrived; one that falls
// behind has read less. The kernel's counts of arrivals show both.
func TestCutAgainstArrivals(t *testing.T) {
	w := testInterval(time.Second)
	reads := []read{
		{0, w.Open + 10*ms, 100_000, -1},
		{0, w.Open + 500*ms, 700_000, -1},
		{0, w.Open + 990*ms, 700_000, -1},
	}
	at := func(stamp, bytes, unread, waiting int64) []Arrival { return []Arrival{{stamp, bytes, unread, waiting}} }
	for name, c := range map[string]struct {
		begin, end []Arrival
		rate       float64 // bits per second
		warning    string
	}{
		"not known":           {nil, nil, 1.4e6 * 8 / 0.98, ""},
		"not behind":          {at(w.Open, 0, 1000, 0), at(w.Close, 2_000_000, 0, 0), 1.4e6 * 8 / 0.98, ""},
		"caught up":           {at(w.Open, 500_000, 400_000, 0), at(w.Close, 1_500_000, 0, 0), 8e6, ""},
		"a hole was filled":   {at(w.Open, 500_000, 400_000, 300_000), at(w.Close, 1_500_000, 0, 100_000), 6.4e6, ""},
		"a hole came":         {at(w.Open, 500_000, 400_000, 100_000), at(w.Close, 1_500_000, 0, 300_000), 8e6, ""},
		"behind a hole alone": {at(w.Open, 500_000, 0, 300_000), at(w.Close, 1_700_000, 0, 0), 0.9e6 * 8, ""},
		"fell behind": {at(w.Open, 500_000, 400_000, 0), at(w.Close, 2_500_000, 900_000, 0),
			1.4e6 * 8 / 0.98, "waited unread"},
		"asked too late": {at(w.Open+600*ms, 500_000, 400_000, 0), at(w.Close, 700_000, 0, 0),
			1.4e6 * 8 / 0.98, ""},
		"a connection that did not answer": {at(0, 0, 400_000, 0), at(w.Close, 700_000, 0, 0), 1.4e6 * 8 / 0.98, ""},
	} {
		s := cut(w, counted(w, 1, reads), c.begin, c.end)
		if got := s.goodput(); got < c.rate*0.99999 || got > c.rate*1.00001 {
			t.Errorf("%s: %.0f bit/s, want %.0f", name, got, c.rate)
		}
		if got := strings.Join(s.warnings, "; "); !strings.Contains(got, c.warning) || c.warning == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", name, got, c.warning)
		}
	}
}

// A connection that reads more often than is kept has its edge at the last kept read, not beyond.
func TestStepsOfManyReads(t *testing.T) {
	w := testInterval(10 * time.Second)
	var reads []read
	for i := range int64(3 * edgesKept) {
		reads = append(reads, read{0, w.Open + i*10_000, 1000, 0})
	}
	for i := range int64(1000) {
		reads = append(reads, read{1, w.Open + i*90_000, 1000, 0})
	}
	marks := headSteps(counted(w, 2, reads))
	last := marks[len(marks)-1]
	if want := w.Open + (edgesKept-1)*10_000; last.NS != want {
		t.Errorf("the last mark is %d ns behind the last that is known", last.NS-want)
	}
	if want := int64(edgesKept+(edgesKept-1)/9+1) * 1000; last.Bytes != want {
		t.Errorf("%d bytes there, want %d", last.Bytes, want)
	}
}

// The warning names the longest gap of a series, from 300 ms on. A series in which nothing came at all has another
// warning.
func TestStall(t *testing.T) {
	const step = 100 * time.Millisecond
	for _, c := range []struct {
		series string // a digit for each slice
		want   string
	}{
		{"", ""},
		{"9999999999", ""},
		{"9900999009", ""},
		{"0000000000", ""},
		{"9900099999", "nothing arrived for 300ms, from 200ms after"},
		{"0001000099", "nothing arrived for 400ms, from 400ms after"},
		{"9999990000", "nothing arrived for 400ms, from 600ms after"},
		{"0009900099", "nothing arrived for 300ms, from 0s after"},
	} {
		var series []float64
		for _, d := range c.series {
			series = append(series, float64(d-'0'))
		}
		if got := Stall(series, step); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.series, got, c.want)
		}
	}
}
