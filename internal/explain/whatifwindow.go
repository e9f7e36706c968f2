package explain

import (
	"fmt"
	"slices"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// held are the verdicts that a window over a round trip holds.
var held = []string{windowScalingOff.ID, receiveWindowCap.ID, sendBufferCap.ID}

func number(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0
}

// sockets are the sums over the connections of the repeat nearest to the median: bytes that the peer's windows allow, and what its and the
// sender's buffers can ever hold by their limits; rtt is the median round trip, least the smallest.
type sockets struct {
	n               int
	window, buffers float64
	rtt, least      float64
	limited         string // the limit that buffers is from
}

// ok is false unless every sender's socket says its window and its round trips.
func (q *question) sockets() (s sockets, ok bool) {
	if q.Repeat == nil {
		return s, false
	}
	var rtts []float64
	for _, x := range q.Repeat.Streams {
		k := x.Socket
		if k == nil || k.SndWnd == nil || k.MinRTT == nil || k.RTT == nil || *k.MinRTT <= 0 || *k.RTT <= 0 {
			return s, false
		}
		s.n++
		s.window += float64(*k.SndWnd)
		rtts = append(rtts, *k.RTT)
		if s.least == 0 || *k.MinRTT < s.least {
			s.least = *k.MinRTT
		}
	}
	if s.n == 0 {
		return s, false
	}
	slices.Sort(rtts)
	s.rtt = rtts[len(rtts)/2]
	s.buffers = s.window
	if q.Sender.Shots.After != nil && q.Receiver.Shots.After != nil {
		r, ok1 := q.Receiver.Shots.After.TCP.RMem.Get()
		w, ok2 := q.Sender.Shots.After.TCP.WMem.Get()
		if ok1 && ok2 {
			s.limited = "net.ipv4.tcp_rmem of " + q.Receiver.Host
			most := r[2]
			if w[2] < most {
				most, s.limited = w[2], "net.ipv4.tcp_wmem of "+q.Sender.Host
			}
			s.buffers = max(s.window, float64(most)*float64(s.n))
		}
	}
	return s, true
}

// windows adds what windows over a round trip allow. What holds an experiment back today allows at least what it carried, where the
// change takes nothing from it.
func (q *question) windows() {
	if q.overUDP() {
		return
	}
	s, ok := q.sockets()
	limiter := ""
	if q.Exp.Verdict != nil {
		limiter = q.Exp.Verdict.Limiter
	}
	today := slices.Contains(held, limiter)
	c := record.NextCeiling{Component: "window of the connections", Kind: "window", Formula: "8 * window * streams / rtt", Origin: "measured", Today: today}
	if today && q.Exp.Verdict.Component != "" {
		c.Component = q.Exp.Verdict.Component
	}
	streams := float64(q.then())
	if q.change.Window > 0 && q.change.RTT > 0 {
		v := 8 * float64(q.change.Window) * streams / q.change.RTT
		c.Origin, c.Component, c.Today, c.Band = "computed", "window of the connections", false, band(v, v)
		c.Inputs = []record.Input{declaredInput("window", float64(q.change.Window)), declaredInput("streams", streams), declaredInput("rtt", q.change.RTT)}
		q.both(&c)
		q.add(c)
		return
	}
	if !ok {
		if today {
			q.stay(limiter, q.least())
		}
		q.lacks("windows", "the sockets did not say their window and round trip")
		return
	}
	each := float64(s.n)
	low, high := s.window/each, s.buffers/each // of one connection
	switch {
	case q.change.Window > 0:
		low, high = float64(q.change.Window), float64(q.change.Window)
	case limiter == sendBufferCap.ID:
		if b, ok := q.median(false, count(func(s *record.Socket) *int64 { return s.SndBuf })); ok {
			low, high = b, b
		}
	case today:
		high = low // it stands at its limit
	case high > low:
		c.Assumes = fmt.Sprintf("a window may grow from %s to %s (%s)", unit.Bytes(low), unit.Bytes(high), s.limited)
	}
	short, long := s.least, s.rtt
	rttOrigin := record.Measured
	if q.change.RTT > 0 {
		short, long, rttOrigin = q.change.RTT, q.change.RTT, record.Declared
	}
	// Both directions at once have connections of their own in each.
	ways := each / float64(q.streams)
	c.Band = band(8*low*streams*ways/short, 8*high*streams*ways/short)
	if today {
		// Its round trip under load made it what it was: at least that is left of it. The shortest round trip is the most that may come.
		kept := min(1, streams/float64(q.streams)) * min(1, s.rtt/long)
		if q.change.Window > 0 {
			kept *= min(1, float64(q.change.Window)*each/s.window)
		}
		c.Band = band(min(q.Goodput*kept, *c.High), max(*c.High, q.Goodput*kept))
		if q.change.RTT == 0 {
			c.Assumes = fmt.Sprintf("a round trip lasts from %s, the shortest seen, to as long as it did", unit.Seconds(s.least))
		}
	}
	c.Inputs = []record.Input{{Name: "window", Value: high, Origin: record.Measured}, declaredInput("streams", streams*ways), {Name: "rtt", Value: short, Origin: rttOrigin}}
	if q.change.Window > 0 {
		c.Inputs[0].Origin = record.Declared
	}
	q.add(c)
}

// both doubles what each direction has for itself where both are asked for together.
func (q *question) both(c *record.NextCeiling) {
	if q.Exp.Direction == "both" {
		c.Band = band(2**c.Low, 2**c.High)
		c.Formula = "2 x (" + c.Formula + ")"
	}
}

func declaredInput(name string, v float64) record.Input {
	return record.Input{Name: name, Value: v, Origin: record.Declared}
}

// drive adds what a source delivers, or would.
func (q *question) drive() {
	if q.change.Drive <= 0 {
		return
	}
	v := float64(q.change.Drive)
	if q.run.Lab != nil {
		v *= q.run.Lab.Scale
	}
	q.add(record.NextCeiling{Component: "drive of " + q.Sender.Host, Kind: "drive", Band: band(v, v), Origin: "computed", Formula: "rate of the drive",
		Inputs: []record.Input{declaredInput("rate", v)}})
}
