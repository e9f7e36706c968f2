package judge

import (
	"math"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// Crowded reports whether the interface of either end carried much other traffic, a quarter or more, in the same time.
// The rate through a queue on the path is then not the goodput.
func (c *Case) Crowded() bool {
	for _, at := range []struct {
		side    Side
		counter string
	}{{c.Receiver, "rx"}, {c.Sender, "tx"}} {
		all, _, seconds, ok := c.Passed(at.side, at.counter)
		if !ok || len(c.Exp.Repeats) == 0 {
			continue
		}
		if ours, _ := c.Most(seconds); all-ours >= 0.25*all {
			return true
		}
	}
	return false
}

// Passed returns the payload that an interface carried in the steady interval, in bits per second, of any traffic, idle
// traffic included. idle is the idle traffic, as far as it is known.
func (c *Case) Passed(side Side, counter string) (all, idle, seconds float64, ok bool) {
	if side.Port == nil {
		return 0, 0, 0, false
	}
	first, last, why := c.inInterval(side)
	if why != "" {
		return 0, 0, 0, false
	}
	bytes, why0 := side.Shots.GrowthOf(side.Port.Interface, counter+"_bytes", first, last)
	packets, why1 := side.Shots.GrowthOf(side.Port.Interface, counter+"_packets", first, last)
	if why0 != "" || why1 != "" || bytes.Seconds <= 0 {
		return 0, 0, 0, false
	}
	header := FrameHeaders(side.Port.Address.Addr().String())
	all = max(0, bytes.Gross-packets.Gross*header)
	if !c.OverUDP() {
		all -= c.twice(side, counter)
	}
	if bytes.Idle != nil && packets.Idle != nil {
		idle = max(0, *bytes.Idle-*packets.Idle*header) * 8
	}
	return all * 8 / bytes.Seconds, idle, bytes.Seconds, true
}

// twice returns the payload in bytes that a counter of an interface includes and goodput does not, because it was
// retransmitted: at the sender all retransmits, at the receiver those that it dropped after that counter
// (receive-drops: the queue of its NIC or of its cores was full).
func (c *Case) twice(side Side, counter string) float64 {
	mss, known := c.Median(false, Integer(func(s *record.Socket) *int64 { return s.MSS }))
	grown := func(s Side, nic, counter string) (float64, bool) {
		first, last, why := c.inInterval(s)
		if why != "" {
			return 0, false
		}
		g, why := s.Shots.GrowthOf(nic, counter, first, last)
		return g.Gross, why == ""
	}
	n, sent := grown(c.Sender, "", "Tcp.RetransSegs")
	if counter == "rx" {
		dropped, ok := grown(side, side.Port.Interface, "receive-drops")
		n, sent = min(n, dropped), sent && ok
	}
	if !known || !sent {
		return 0
	}
	return n * mss
}

// Most returns the highest goodput of any part of the steady interval of this many seconds, in bits per second. The
// slices between two snapshots are not known exactly, and a connection that paused elsewhere carries more there than on
// average. ok is false if goodput over time is not recorded.
func (c *Case) Most(seconds float64) (bits float64, ok bool) {
	mean := GoodputOf(&c.Exp.Repeats[0], c.Direction)
	_, most, ok := c.parts(seconds)
	if !ok {
		return mean, false
	}
	return max(most, mean), true
}

// parts returns the lowest and the highest goodput of any part of the steady interval of this many seconds, in bits per
// second.
func (c *Case) parts(seconds float64) (least, most float64, ok bool) {
	r := &c.Exp.Repeats[0]
	series := r.SeriesOut
	if c.Direction == "in" {
		series = r.SeriesIn
	}
	n := int(seconds / max(r.Slice, 1e-3))
	if r.Slice <= 0 || n < 2 || n > len(series) {
		return 0, 0, false
	}
	least = math.Inf(1)
	for i := range len(series) - n + 1 {
		sum := 0.0
		for _, v := range series[i : i+n] {
			sum += v
		}
		least, most = min(least, sum/float64(n)), max(most, sum/float64(n))
	}
	return least, most, true
}

// IntervalBytes returns the bytes of the steady intervals in this direction. The experiment moved at least these.
func (c *Case) IntervalBytes() float64 {
	total := 0.0
	for _, r := range c.Exp.Repeats {
		for _, s := range r.Streams {
			if len(c.Streams) > 0 && s.Direction == c.Streams[0].Direction {
				total += s.Goodput / 8 * r.Seconds
			}
		}
	}
	return total
}

// Delta returns the growth of a counter of an interface between two snapshots.
func Delta(before, after *facts.Facts, nic, counter string) (float64, bool) {
	d, ok := facts.CounterDelta(before, after, nic, counter)
	return float64(d), ok
}
