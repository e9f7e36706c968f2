package wire

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/unit"
)

// data is a packet of TCP with payload, numbered, as it is on the wire.
func data(n int, size int, ecn byte) []byte {
	p, _ := packet{payload: make([]byte, size-54), ecn: ecn, seq: uint32(n), flags: 0x10}.sealed()
	return p
}

func number(frame []byte) int { return int(binary.BigEndian.Uint32(frame[38:])) }

// left is a frame that has left, and when.
type left struct {
	at    time.Duration
	frame []byte
}

// feed puts n packets in, one every gap, and returns what leaves, each at the very moment that Next names. What comes
// at one moment comes before what leaves at it.
func feed(p *Pipe, n int, gap time.Duration, make func(i int) []byte) (out []left) {
	drain := func(before time.Duration) {
		for {
			at, ok := p.Next()
			if !ok || at >= before {
				return
			}
			for f := p.Take(at); f != nil; f = p.Take(at) {
				out = append(out, left{at, f})
			}
		}
	}
	for i := range n {
		now := time.Duration(i) * gap
		drain(now)
		p.Put(now, make(i))
	}
	drain(math.MaxInt64)
	return out
}

func plain(size int) func(int) []byte { return func(i int) []byte { return data(i, size, 2) } }

// identity compares the counts with each other.
func identity(t *testing.T, p *Pipe) {
	t.Helper()
	c := p.Totals()
	if c.Arrived != c.Policed+c.Overflow+c.Lost+c.Carried+c.Refused+c.Waiting-c.Duplicated {
		t.Errorf("the counts do not add up: %+v", c)
	}
}

func TestDelay(t *testing.T) {
	p := NewPipe(Settings{Delay: 5 * time.Millisecond}, 1)
	out := feed(p, 1000, 100*time.Microsecond, plain(1514))
	if len(out) != 1000 {
		t.Fatalf("%d left", len(out))
	}
	for i, l := range out {
		if want := time.Duration(i)*100*time.Microsecond + 5*time.Millisecond; l.at != want || number(l.frame) != i {
			t.Fatalf("packet %d left as number %d at %v, want %v", number(l.frame), i, l.at, want)
		}
	}
	identity(t, p)
	if p.Put(time.Second, data(0, 100, 0)); p.Take(time.Second+5*time.Millisecond-1) != nil {
		t.Error("it left a nanosecond early")
	}
	if p.Totals().Waiting != 1 {
		t.Error("what is under way is not counted")
	}
	identity(t, p)
}

// near reports whether a count of n draws is within five standard deviations of its probability.
func near(count uint64, n int, p float64) bool {
	return math.Abs(float64(count)-float64(n)*p) <= 5*math.Sqrt(float64(n)*p*(1-p))
}

func TestChances(t *testing.T) {
	const n = 200000
	for name, c := range map[string]struct {
		set   Settings
		count func(Counts) uint64
		p     float64
	}{
		"loss":      {Settings{Loss: 0.01}, func(c Counts) uint64 { return c.Lost }, 0.01},
		"ce":        {Settings{CE: 0.02}, func(c Counts) uint64 { return c.Marked }, 0.02},
		"corrupt":   {Settings{Corrupt: 0.005}, func(c Counts) uint64 { return c.Corrupted }, 0.005},
		"duplicate": {Settings{Duplicate: 0.03}, func(c Counts) uint64 { return c.Duplicated }, 0.03},
		"reorder": {Settings{Reorder: 0.004, ReorderBy: 300 * time.Microsecond},
			func(c Counts) uint64 { return c.Reordered }, 0.004},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(seed uint64, n int) (Counts, [][]byte) {
				p := NewPipe(c.set, seed)
				var frames [][]byte
				for _, l := range feed(p, n, 10*time.Microsecond, plain(80)) {
					frames = append(frames, l.frame)
				}
				identity(t, p)
				return p.Totals(), frames
			}
			counts, _ := run(1, n)
			if got := c.count(counts); !near(got, n, c.p) {
				t.Errorf("%d of %d, want about %v", got, n, c.p*n)
			}
			for _, other := range []uint64{counts.Lost, counts.Marked, counts.Corrupted, counts.Duplicated, counts.Reordered} {
				if other != 0 && other != c.count(counts) {
					t.Errorf("something else was done too: %+v", counts)
				}
			}
			const few = n / 10
			some, frames := run(1, few)
			again, same := run(1, few)
			if again != some || !equal(frames, same) {
				t.Error("the same seed gives something else")
			}
			if _, other := run(2, few); equal(frames, other) {
				t.Error("another seed gives the same")
			}
		})
	}
}

func equal(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }

// Which packets are lost does not hang on what else is set.
func TestSequencesAreApart(t *testing.T) {
	lost := func(s Settings) (out []int) {
		have := map[int]bool{}
		for _, l := range feed(NewPipe(s, 5), 20000, 10*time.Microsecond, plain(80)) {
			have[number(l.frame)] = true
		}
		for i := range 20000 {
			if !have[i] {
				out = append(out, i)
			}
		}
		return out
	}
	alone, among := lost(Settings{Loss: 0.01}), lost(
		Settings{Loss: 0.01, CE: 0.3, Reorder: 0.1, Corrupt: 0.2, Duplicate: 0.2},
	)
	if len(alone) == 0 || !slices.Equal(alone, among) {
		t.Fatalf("packets %v are lost, or %v", alone, among)
	}
}

func TestBursts(t *testing.T) {
	const n = 1000000
	for _, c := range []struct{ loss, length, in, bursts float64 }{{0.01, 8, 0, 0.01 / 8}, {0.05, 20, 0.5, 0}} {
		p := NewPipe(Settings{Loss: c.loss, LossBurst: c.length, LossIn: c.in}, 3)
		frame := data(0, 80, 0)
		var bursts, lost int
		before := false
		for i := range n {
			had := p.Lost
			p.Put(time.Duration(i), bytes.Clone(frame))
			for p.Take(time.Duration(i)) != nil {
			}
			is := p.Lost > had
			if is {
				lost++
			}
			if is && !before {
				bursts++
			}
			before = is
		}
		// The losses of a burst hang together: their number scatters as that of bursts, times the length.
		if share := float64(lost) / n; math.Abs(share-c.loss) > 0.12*c.loss {
			t.Errorf("%+v: %v of the packets were lost", c, share)
		}
		if c.in == 0 {
			if mean := float64(lost) / float64(bursts); math.Abs(mean-c.length) > 0.1*c.length {
				t.Errorf("%+v: bursts of %v on average", c, mean)
			}
		} else if mean := float64(lost) / float64(bursts); mean > 2.2 || mean < 1.5 {
			// Within the bad state half is lost: runs of two on average, a little less at its ends.
			t.Errorf("%+v: runs of %v on average", c, mean)
		}
	}
}

// Held back packets come out by the displacement later, and all others in order and on time.
func TestReorder(t *testing.T) {
	const gap, by, delay = 100 * time.Microsecond, 1050 * time.Microsecond, 2 * time.Millisecond
	p := NewPipe(Settings{Delay: delay, Reorder: 0.02, ReorderBy: by}, 9)
	latest, late := -1, 0
	for _, l := range feed(p, 5000, gap, plain(80)) {
		i := number(l.frame)
		due := time.Duration(i)*gap + delay
		switch l.at {
		case due:
			if i < latest {
				t.Fatalf("packet %d came out of order without being held back", i)
			}
			latest = i
		case due + by:
			late++
			// Ten come meanwhile, of which the last may be held back as well.
			if passed := latest - i; (passed > 10 || passed < 7) && i < 4989 {
				t.Fatalf("packet %d was passed by the %dth behind it, want the 10th", i, passed)
			}
		default:
			t.Fatalf("packet %d left at %v, want %v or %v", i, l.at, due, due+by)
		}
	}
	if late == 0 || uint64(late) != p.Reordered {
		t.Errorf("%d late, %d counted", late, p.Reordered)
	}
	// One that nobody passes was not reordered.
	p = NewPipe(Settings{Reorder: 1}, 1)
	feed(p, 100, gap, plain(80))
	if p.Reordered != 0 {
		t.Errorf("all are held back, so none was passed; %d counted", p.Reordered)
	}
}

func TestMarks(t *testing.T) {
	for _, v6 := range []bool{false, true} {
		for ecn, want := range []uint64{0, 1, 1, 0} {
			f, l4 := packet{v6: v6, payload: pattern(100), ecn: byte(ecn)}.sealed()
			p := NewPipe(Settings{CE: 1}, 1)
			p.Put(0, f)
			f = p.Take(0)
			if p.Marked != want {
				t.Errorf("IPv6 %v, ECN %d: %d marked, want %d", v6, ecn, p.Marked, want)
			}
			have := f[15] & 3
			if v6 {
				have = f[15] >> 4 & 3
			}
			if ce := want == 1 || ecn == 3; ce != (have == 3) || !ce && have != byte(ecn) {
				t.Errorf("IPv6 %v, ECN %d became %d", v6, ecn, have)
			}
			if header, body := right(t, f, 14, l4); !header || !body {
				t.Errorf("IPv6 %v, ECN %d: checksum of the header right: %v, of TCP: %v", v6, ecn, header, body)
			}
		}
	}
}

// Each corrupted packet is wrong for the receiver's checksum of TCP or UDP, and right for that of the header.
func TestCorrupt(t *testing.T) {
	for name, c := range map[string]packet{"TCP": {payload: pattern(333)}, "UDP": {udp: true, payload: pattern(10)},
		"TCP over IPv6": {v6: true, payload: pattern(1)}, "an acknowledgement": {}} {
		p := NewPipe(Settings{Corrupt: 1, All: true}, 1)
		for i := range 2000 {
			f, l4 := c.sealed()
			p.Put(time.Duration(i), f)
			if header, body := right(t, p.Take(time.Duration(i)), 14, l4); !header || body {
				t.Fatalf("%s: checksum of the header right: %v, of the payload: %v", name, header, body)
			}
		}
		if p.Corrupted != 2000 {
			t.Errorf("%s: %d counted", name, p.Corrupted)
		}
	}
}

// Acknowledgements, ARP and ICMP pass untouched, unless All.
func TestOnlyData(t *testing.T) {
	arp := append([]byte{255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 1, 8, 6}, make([]byte, 46)...)
	icmp := packet{noTransport: true, payload: pattern(56)}.bytes()
	ack := packet{flags: 0x10}.bytes()
	padded := append(packet{flags: 0x10}.bytes(), make([]byte, 6)...)
	for name, f := range map[string][]byte{"ARP": arp, "ICMP": icmp, "an acknowledgement": ack,
		"one that is padded": padded} {
		p := NewPipe(Settings{Loss: 1}, 1)
		if p.Put(0, bytes.Clone(f)); !bytes.Equal(p.Take(0), f) {
			t.Errorf("%s: touched", name)
		}
		p = NewPipe(Settings{Corrupt: 1, Duplicate: 1, Reorder: 1, CE: 1}, 1)
		if p.Put(0, bytes.Clone(f)); !bytes.Equal(p.Take(0), f) || p.Take(time.Hour) != nil {
			t.Errorf("%s: touched", name)
		}
		p = NewPipe(Settings{Loss: 1, All: true}, 1)
		if p.Put(0, bytes.Clone(f)); p.Take(0) != nil || p.Lost != 1 {
			t.Errorf("%s: with All it is not lost", name)
		}
	}
	p := NewPipe(Settings{Loss: 1}, 1)
	if p.Put(0, packet{udp: true, payload: pattern(1)}.bytes()); p.Lost != 1 {
		t.Error("a datagram is not lost")
	}
}

// A frame of 1514 bytes takes 1538 of the link: 123.04 us at 100 Mb/s.
func TestRate(t *testing.T) {
	p := NewPipe(Settings{Rate: 100 * unit.MegabitPerSecond, Delay: time.Millisecond}, 1)
	for i, l := range feed(p, 100, 0, plain(1514)) {
		want := float64(i+1)*123040 + 1e6
		if math.Abs(float64(l.at)-want) > 1 {
			t.Fatalf("packet %d left at %v, want %v ns", i, l.at, want)
		}
	}
	// An idle link saves nothing up.
	p.Put(time.Hour, data(0, 1514, 0))
	if at, _ := p.Next(); math.Abs(float64(at-time.Hour)-1123040) > 1 {
		t.Errorf("after a pause it takes %v", at-time.Hour)
	}
	p = NewPipe(Settings{Rate: 100 * unit.MegabitPerSecond}, 1)
	p.Put(0, data(0, 54, 0))
	if at, _ := p.Next(); at != 6720 {
		t.Errorf("the shortest frame takes %v, want 84 bytes: 6.72 us", at)
	}
}

func TestQueue(t *testing.T) {
	for name, c := range map[string]struct {
		q    Queue
		want uint64 // packets carried of 100 that come at once: one is in the transmitter
	}{
		"packets": {Queue{Packets: 10}, 11},
		"bytes":   {Queue{Bytes: 10*1514 + 1513}, 11},
		"both":    {Queue{Bytes: 1 << 20, Packets: 3}, 4},
		"none":    {Queue{}, 100},
	} {
		p := NewPipe(Settings{Rate: 10 * unit.MegabitPerSecond, Queue: c.q}, 1)
		feed(p, 100, 0, plain(1514))
		if p.Carried != c.want || p.Overflow != 100-c.want {
			t.Errorf("%s: %d carried, %d dropped, want %d", name, p.Carried, p.Overflow, c.want)
		}
		identity(t, p)
	}
	// What leaves the queue makes room: at the link's own rate nothing is dropped.
	p := NewPipe(Settings{Rate: 10 * unit.MegabitPerSecond, Queue: Queue{Packets: 1}}, 1)
	feed(p, 1000, 1230400, plain(1514))
	if p.Overflow != 0 || p.MostQueued != 0 {
		t.Errorf("%d dropped, up to %d bytes queued", p.Overflow, p.MostQueued)
	}
	// Without a rate it bounds what is under way.
	p = NewPipe(Settings{Delay: 10 * time.Millisecond, Queue: Queue{Packets: 7}}, 1)
	feed(p, 1000, time.Millisecond, plain(1514))
	if got := p.Carried; got < 690 || got > 710 {
		t.Errorf("%d of 1000 carried, want 7 of 10", got)
	}
	// And nothing where nothing is under way.
	p = NewPipe(Settings{Queue: Queue{Packets: 1}}, 1)
	feed(p, 100, 0, plain(1514))
	if p.Overflow != 0 {
		t.Errorf("%d dropped", p.Overflow)
	}
}

func TestMemoryIsALimit(t *testing.T) {
	p := NewPipe(Settings{Delay: time.Minute}, 1)
	frame := make([]byte, 1<<20)
	for range 1000 {
		p.Put(0, frame)
	}
	if p.Overflow == 0 || p.Totals().Waiting<<20 > mostHeld {
		t.Errorf("%d MiB are held", p.Totals().Waiting)
	}
}

// Above the threshold every ECT packet is marked, below it none, whether it carries data or not.
func TestThreshold(t *testing.T) {
	p := NewPipe(Settings{Rate: 10 * unit.MegabitPerSecond, CEAbove: 20 * 1514}, 1)
	for i, l := range feed(p, 100, 0, plain(1514)) {
		// Packet i finds i-1 waiting: the first is in the transmitter.
		if have, want := l.frame[15]&3 == 3, i-1 > 20; have != want {
			t.Errorf("packet %d: marked %v, want %v", i, have, want)
		}
	}
	if p.Marked != 78 {
		t.Errorf("%d marked", p.Marked)
	}
}

func TestPolice(t *testing.T) {
	// 100 Mb/s come, 40 pass: the burst at once, and then the rate.
	p := NewPipe(Settings{Police: 40 * unit.MegabitPerSecond, PoliceBurst: 30280}, 1)
	out := feed(p, 10000, 121120, plain(1514))
	seconds := 10000 * 121120e-9
	if want := (30280 + 5e6*seconds) / 1514; math.Abs(float64(p.Carried)-want) > 2 {
		t.Errorf("%d passed, want %v", p.Carried, want)
	}
	for i := range 20 {
		if number(out[i].frame) != i || out[i].at != time.Duration(i)*121120 {
			t.Fatalf("the burst does not pass at once: packet %d at %v", number(out[i].frame), out[i].at)
		}
	}
	identity(t, p)
	p = NewPipe(Settings{Police: 40 * unit.MegabitPerSecond}, 1)
	feed(p, 10000, 1514*8*25, plain(1514)) // exactly the rate
	if p.Policed != 0 {
		t.Errorf("%d dropped at the rate itself", p.Policed)
	}
}

// What comes at once comes one after the other, so that a queue at the same rate has nothing to hold.
func TestLine(t *testing.T) {
	for line, want := range map[unit.BitRate]bool{0: true, 100 * unit.MegabitPerSecond: false} {
		p := NewPipe(Settings{Rate: 100 * unit.MegabitPerSecond, Queue: Queue{Packets: 5}, Line: line}, 1)
		feed(p, 44, 0, plain(1514))
		if have := p.Overflow > 0; have != want {
			t.Errorf("line %v: %d dropped", line, p.Overflow)
		}
		identity(t, p)
	}
}

func TestRefused(t *testing.T) {
	p := NewPipe(Settings{}, 1)
	p.Put(0, data(0, 100, 0))
	p.Put(0, data(1, 100, 0))
	p.Take(0)
	p.refuse(p.Take(0))
	if p.Carried != 1 || p.Refused != 1 || p.Bytes != 100 {
		t.Errorf("%+v", p.Counts)
	}
	identity(t, p)
}

func TestProblems(t *testing.T) {
	for text, s := range map[string]Settings{
		"delay":        {Delay: -1},
		"reorder-by":   {ReorderBy: time.Second},
		"loss 110%":    {Loss: 1.1},
		"ce":           {CE: math.NaN()},
		"reorder -1%":  {Reorder: -0.01},
		"rate":         {Rate: 5},
		"police":       {Police: unit.BitRate(math.NaN())},
		"queue":        {Queue: Queue{Packets: -1}},
		"ce-above":     {CEAbove: 1},
		"police-burst": {Police: 1e8, PoliceBurst: 100},
		"loss-burst":   {LossBurst: 5},
		"loss-in":      {Loss: 0.1, LossIn: 0.5},
		"loss 60%":     {Loss: 0.6, LossBurst: 3, LossIn: 0.5},
	} {
		got := s.Problems()
		if len(got) != 1 || !strings.HasPrefix(got[0].Error(), text) {
			t.Errorf("%s: %v", text, got)
		}
	}
	if got := (Settings{Loss: 2, CE: 2, Delay: -1}).Problems(); len(got) != 3 {
		t.Errorf("not all at once: %v", got)
	}
	for _, s := range []Settings{{}, {Loss: 1}, {Loss: 0.01, LossBurst: 8}, {Rate: 1e8, CEAbove: 30000}} {
		if got := s.Problems(); len(got) != 0 {
			t.Errorf("%+v: %v", s, got)
		}
	}
}
