package tcp

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
)

func tried(copies, placement string, streams int) traffic.Setup {
	at := netip.MustParseAddr("127.0.0.1")
	return traffic.Setup{Method: "throughput", Side: traffic.To, Direction: traffic.Out, Streams: streams,
		Interval: time.Second, Warmup: 300 * time.Millisecond, Local: at, Remote: at,
		Tuning: traffic.Tuning{Trial: true, Together: true, Copies: copies, Placement: placement}}
}

// play reads on behalf of all streams with the rate of the candidate in effect, in bytes per nanosecond, until the end
// of the warm-up.
func play(t *testing.T, s traffic.Setup, rate func(candidate) float64) (*trial, candidate) {
	t.Helper()
	w := traffic.NewInterval(1000, s, 0)
	x, why := newTrial(s, w)
	if x == nil {
		t.Fatal(why)
	}
	c, over := x.current, false
	for now := w.Begin; now < w.Open; now += 20_000 {
		var end bool
		c, _, end = x.read(now, int(rate(c)*20_000))
		if over && !end {
			t.Fatal("the trial went on after its end")
		}
		over = end
	}
	if !over {
		t.Fatal("the trial did not end in the warm-up")
	}
	return x, c
}

func TestTrialFindsTheFastest(t *testing.T) {
	for _, c := range []struct {
		copies, placement string
		want              candidate
	}{
		{"", "", candidate{size: 1}},
		{"", traffic.PlaceAuto, candidate{size: 4, place: placement.Together}},
		{traffic.CopiesReceive, "", candidate{way: wayTee, size: 1}},
		{traffic.CopiesReceive, traffic.PlaceAuto, candidate{way: waySendfile, size: 3, place: placement.Apart}},
		{traffic.CopiesNone, "", candidate{way: wayTee, size: 1, lowWater: true}},
	} {
		x, got := play(t, tried(c.copies, c.placement, 1), func(at candidate) float64 {
			rate := 5.0
			if at.place == c.want.place {
				rate += 2
			}
			if at.way == c.want.way && at.size == c.want.size && at.lowWater == c.want.lowWater {
				rate += 2
			}
			return rate
		})
		if got != c.want {
			t.Errorf("copies %q, placement %q: %+v, want %+v (%s)", c.copies, c.placement, got, c.want, x.choice())
		}
		if !strings.HasPrefix(x.choice(), "by a trial of ") {
			t.Errorf("choice %q", x.choice())
		}
	}
}

// Small messages are taken one by one either way; the trial chooses whether the receiver is woken for each.
func TestTrialOfSmallMessages(t *testing.T) {
	for _, want := range []bool{true, false} {
		s := tried("", "", 1)
		s.Size = 512
		_, got := play(t, s, func(c candidate) float64 {
			if c.pauses == want {
				return 0.6
			}
			return 0.5
		})
		if got.pauses != want {
			t.Errorf("%+v, want the pause %v", got, want)
		}
	}
}

// Where nothing makes a difference, and where the path is too slow to show one, the default stays.
func TestTrialKeepsTheDefault(t *testing.T) {
	for name, rate := range map[string]float64{"fast": 6, "1 Gb/s": 0.125, "100 Mb/s": 0.0125} {
		s := tried("", traffic.PlaceAuto, 1)
		if _, got := play(t, s, func(candidate) float64 { return rate }); got != firstCandidate(s) {
			t.Errorf("%s: %+v, want %+v", name, got, firstCandidate(s))
		}
	}
}

// A path that slows down never lets the trial run out of its time.
func TestTrialEndsOnAPathThatStalls(t *testing.T) {
	n := 0
	play(t, tried("", traffic.PlaceAuto, 4), func(candidate) float64 {
		if n++; n > 1000 {
			return 0.001
		}
		return 6
	})
}

func TestNoTrial(t *testing.T) {
	for want, change := range map[string]func(*traffic.Setup){
		"no trial":                             func(s *traffic.Setup) { s.Tuning.Trial = false },
		"nothing to try":                       func(s *traffic.Setup) { s.Size = unit.MiB },
		"no trial: the rate is limited":        func(s *traffic.Setup) { s.Pace = 1e9 },
		"no trial: the warm-up is too short":   func(s *traffic.Setup) { s.Warmup = 100 * time.Millisecond },
		"no trial: the path is too slow for b": nil,
	} {
		s := tried("", "", 1)
		if change == nil {
			x, _ := play(t, s, func(candidate) float64 { return 0.0125 })
			if !strings.HasPrefix(x.choice(), want) {
				t.Errorf("%q, want %q", x.choice(), want)
			}
			continue
		}
		change(&s)
		if x, why := newTrial(s, traffic.NewInterval(0, s, 0)); x != nil || why != want {
			t.Errorf("%v %q, want %q", x, why, want)
		}
	}
}

// The buffers of many streams stay within what a trial may take.
func TestTrialBuffers(t *testing.T) {
	for streams, want := range map[int]unit.Bytes{1: 4 * unit.MiB, 4: 2 * unit.MiB, 64: 128 * unit.KiB,
		1024: 128 * unit.KiB} {
		s := tried("", "", streams)
		if got := largestBufferOf(s); got != want {
			t.Errorf("%d streams: %v, want %v", streams, got, want)
		}
		for _, c := range buffers(s) {
			if c.bytes() > want {
				t.Errorf("%d streams: %v is tried", streams, c.bytes())
			}
		}
	}
}

func TestOrders(t *testing.T) {
	for w := range ways {
		for size := range uint8(sizes) {
			for p := range placement.Rules {
				c := candidate{way: w, size: size, place: p}
				if got, ok := parseOrder(c.order()); !ok || got != c {
					t.Fatalf("%+v became %+v, %v", c, got, ok)
				}
			}
		}
	}
}

func FuzzOrder(f *testing.F) {
	f.Add([]byte{0x40, 0x12})
	f.Add([]byte{0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 2 {
			return
		}
		if c, ok := parseOrder([2]byte(b)); ok &&
			(c.way >= ways || c.size >= sizes || c.place >= placement.Rules || c.order() != [2]byte(b[:2])) {
			t.Errorf("%x became %+v", b[:2], c)
		}
	})
}
