package whatif

import (
	"fmt"
	"slices"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/explain/cause"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// held are the verdicts where TCP window / round trip is the bottleneck.
var held = []string{cause.WindowScaleOff.ID, cause.ReceiveWindowCap.ID, cause.SendBufferCap.ID}

func number(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0
}

// sockets has the sums over the connections of the repeat nearest to the median: the bytes that the peer's TCP windows
// allow, and those that its and the sender's buffers can hold at their limits. rtt is the median round trip, least the
// smallest.
type sockets struct {
	n                  int
	tcpWindow, buffers float64
	rtt, least         float64
	limited            string // the limit that buffers comes from
}

// sockets returns the sums; ok is false unless every sender's socket has its TCP window and its round trips.
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
		s.tcpWindow += float64(*k.SndWnd)
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
	s.buffers = s.tcpWindow
	if q.Sender.Shots.After != nil && q.Receiver.Shots.After != nil {
		r, ok1 := q.Receiver.Shots.After.TCP.RMem.Get()
		w, ok2 := q.Sender.Shots.After.TCP.WMem.Get()
		if ok1 && ok2 {
			s.limited = "net.ipv4.tcp_rmem of " + q.Receiver.Host
			most := r[2]
			if w[2] < most {
				most, s.limited = w[2], "net.ipv4.tcp_wmem of "+q.Sender.Host
			}
			s.buffers = max(s.tcpWindow, float64(most)*float64(s.n))
		}
	}
	return s, true
}

// tcpWindows adds the ceiling of TCP windows over a round trip. A present bottleneck allows at least the measured
// goodput, if the change does not reduce it.
func (q *question) tcpWindows() {
	if q.OverUDP() {
		return
	}
	s, ok := q.sockets()
	limiter := ""
	if q.Exp.Verdict != nil {
		limiter = q.Exp.Verdict.Limiter
	}
	today := slices.Contains(held, limiter)
	c := record.NextCeiling{Component: "window of the connections", Kind: "window", Formula: "8 * window * streams / rtt",
		Origin: "measured", Today: today}
	if today && q.Exp.Verdict.Component != "" {
		c.Component = q.Exp.Verdict.Component
	}
	streams := float64(q.then())
	if q.change.Interval > 0 && q.change.RTT > 0 {
		v := 8 * float64(q.change.Interval) * streams / q.change.RTT
		c.Origin, c.Component, c.Today, c.Band = "computed", "window of the connections", false, band(v, v)
		c.Inputs = []record.Input{declaredInput("window", float64(q.change.Interval)), declaredInput("streams", streams),
			declaredInput("rtt", q.change.RTT)}
		q.both(&c)
		q.add(c)
		return
	}
	if !ok {
		if today {
			q.stay(limiter, q.least())
		}
		q.missing("windows", "the sockets did not say their window and round trip")
		return
	}
	each := float64(s.n)
	low, high := s.tcpWindow/each, s.buffers/each // per connection
	switch {
	case q.change.Interval > 0:
		low, high = float64(q.change.Interval), float64(q.change.Interval)
	case limiter == cause.SendBufferCap.ID:
		if b, ok := q.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.SndBuf })); ok {
			low, high = b, b
		}
	case today:
		high = low // it is at its limit
	case high > low:
		c.Assumes = fmt.Sprintf("a window may grow from %s to %s (%s)", unit.Bytes(low), unit.Bytes(high), s.limited)
	}
	short, long := s.least, s.rtt
	rttOrigin := record.Measured
	if q.change.RTT > 0 {
		short, long, rttOrigin = q.change.RTT, q.change.RTT, record.Declared
	}
	// Both directions at once have their own connections.
	ways := each / float64(q.streams)
	c.Band = band(8*low*streams*ways/short, 8*high*streams*ways/short)
	if today {
		// The round trip under load gave the measured goodput, which is the lower bound. The shortest round trip gives the
		// upper bound.
		kept := min(1, streams/float64(q.streams)) * min(1, s.rtt/long)
		if q.change.Interval > 0 {
			kept *= min(1, float64(q.change.Interval)*each/s.tcpWindow)
		}
		c.Band = band(min(q.Goodput*kept, *c.High), max(*c.High, q.Goodput*kept))
		if q.change.RTT == 0 {
			c.Assumes = fmt.Sprintf("a round trip lasts from %s, the shortest seen, to as long as it did", unit.Seconds(s.least))
		}
	}
	c.Inputs = []record.Input{{Name: "window", Value: high, Origin: record.Measured},
		declaredInput("streams", streams*ways), {Name: "rtt", Value: short, Origin: rttOrigin}}
	if q.change.Interval > 0 {
		c.Inputs[0].Origin = record.Declared
	}
	q.add(c)
}

// both doubles the ceiling of one direction where the experiment has both.
func (q *question) both(c *record.NextCeiling) {
	if q.Exp.Direction == "both" {
		c.Band = band(2**c.Low, 2**c.High)
		c.Formula = "2 x (" + c.Formula + ")"
	}
}

func declaredInput(name string, v float64) record.Input {
	return record.Input{Name: name, Value: v, Origin: record.Declared}
}

// drive adds the rate of a source drive, as it is or as changed.
func (q *question) drive() {
	if q.change.Drive <= 0 {
		return
	}
	v := float64(q.change.Drive)
	if q.run.Lab != nil {
		v *= q.run.Lab.Scale
	}
	q.add(record.NextCeiling{Component: "drive of " + q.Sender.Host, Kind: "drive", Band: band(v, v), Origin: "computed",
		Formula: "rate of the drive", Inputs: []record.Input{declaredInput("rate", v)}})
}
