package explain

import (
	"fmt"
	"math"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// losses are what was lost on the way of one experiment, and how.
type losses struct {
	resent
	// Dropped is what every counter of the way says, without the sender's own queue, of which TCP is told at once. At are those of switches.
	Dropped float64
	At      []drop
	// Rate is the share of the segments of the window that were sent again.
	Rate float64
	// Episode is how many segments were lost at a time: sent again for each time that TCP noticed a loss. Again is the share of what was
	// sent again that was lost once more. Timeouts are how often nothing came back at all.
	Episode, Again, Timeouts float64
	// Slices is the share of the window's slices in which something was sent again.
	Slices float64
}

// least is how many segments have to be lost before anything is concluded from how they were: less may be chance.
const least = 8

// lost is nil where nothing was lost, nothing of it in the window, or it is not known.
func (c *Case) lost() *losses {
	if c.overUDP() || c.Repeat == nil {
		return nil
	}
	r, why := c.retransmitted()
	if why != "" || r.Segments < least {
		return nil
	}
	l := &losses{resent: r}
	list, _ := c.dropped()
	for _, d := range list {
		if d.Twice == "" && !d.Own {
			l.Dropped += d.Count
			if d.Host != c.Sender.Host && d.Host != c.Receiver.Host {
				l.At = append(l.At, d)
			}
		}
	}
	again, ok0 := c.sum(false, count(func(s *record.Socket) *int64 { return s.Retrans }))
	spurious, ok1 := c.sum(false, count(func(s *record.Socket) *int64 { return s.DSACKDups }))
	sent, ok2 := c.sum(false, count(func(s *record.Socket) *int64 { return s.SegsOut }))
	if !ok0 || !ok1 || !ok2 || sent <= 0 {
		return nil
	}
	if again <= spurious {
		return nil // what was lost while the connections started does not hold back the window
	}
	l.Rate = (again - spurious) / sent
	times := 0.0
	for _, name := range []string{"TcpExt.TCPSackRecovery", "TcpExt.TCPRenoRecovery", "TcpExt.TCPTimeouts"} {
		if g, why := c.delta(c.Sender, name); why == "" {
			times += g.Net
			if name == "TcpExt.TCPTimeouts" {
				l.Timeouts = g.Net
			}
		}
	}
	l.Episode = r.Segments / max(1, times)
	if g, why := c.delta(c.Sender, "TcpExt.TCPLostRetransmit"); why == "" {
		l.Again = g.Net / r.All
	}
	series, hit := c.Repeat.RetransOut, 0
	if c.direction == "in" {
		series = c.Repeat.RetransIn
	}
	for _, n := range series {
		if n > 0 {
			hit++
		}
	}
	if len(series) > 0 {
		l.Slices = float64(hit) / float64(len(series))
	}
	return l
}

// outside says whether no counter that was read has any of the losses.
func (l *losses) outside() bool { return l.Dropped < sameShare*l.Segments }

// evidence of the losses.
func (l *losses) evidence(c *Case) record.Evidence {
	return record.Evidence{Host: c.Sender.Host, Source: "TCP_INFO, " + l.Source, Counter: "retrans", After: ptr(l.Segments), Unit: "segments",
		Text: fmt.Sprintf("%s lost and sent again, %s of what was sent in the window; %s at a time; the counters of the way have %.0f of them",
			werePlural(l.Segments), unit.Percent(l.Rate), unit.Significant(l.Episode), l.Dropped)}
}

// waits are the round trips of the window: the time of an empty path, and what queues add.
type waits struct {
	Least, Now float64 // s
	// Own is how long the sender's own queue took at the ceiling's rate, s.
	Own float64
}

// waited is ok if the sockets say it.
func (c *Case) waited() (w waits, ok bool) {
	// Of two streams the shorter one: a round trip that is looked at once may be one that was disturbed.
	all, ok0 := c.each(false, func(s *record.Socket) *float64 { return s.RTT })
	if !ok0 {
		return w, false
	}
	slices.Sort(all)
	now := all[(len(all)-1)/2]
	least, ok1 := c.median(false, func(s *record.Socket) *float64 { return s.MinRTT })
	own, ok2 := c.sum(false, count(func(s *record.Socket) *int64 { return s.WmemAlloc }))
	if !ok1 || !ok2 || c.Ceiling <= 0 {
		return w, false
	}
	return waits{Least: least, Now: now, Own: own * 8 / c.Ceiling}, true
}

// Queue is what queues past the sender add to a round trip, s.
func (w waits) Queue() float64 { return max(0, w.Now-w.Least-w.Own) }

// evidence of the round trips.
func (w waits) evidence(c *Case) record.Evidence {
	return record.Evidence{Host: c.Sender.Host, Source: "TCP_INFO, SO_MEMINFO", Counter: "rtt", Before: ptr(w.Least), After: ptr(w.Now), Unit: "s",
		Text: fmt.Sprintf("a round trip takes %s, %s at least; the sender's own queue has %s of it", unit.Seconds(w.Now), unit.Seconds(w.Least), unit.Seconds(w.Own))}
}

// free says whether the network alone can be what the connections wait for: the receiver's window, the send buffer and the program left
// room nearly all of the time.
func (c *Case) free() bool {
	for _, field := range []func(*record.Socket) *float64{func(s *record.Socket) *float64 { return s.RwndLimited }, func(s *record.Socket) *float64 { return s.SndbufLimited }} {
		if share, ok := c.limitedShare(field); !ok || share > 0.1 {
			return false
		}
	}
	busy, ok := c.sum(false, func(s *record.Socket) *float64 { return s.BusySeconds })
	return ok && busy >= 0.9*c.Window*float64(len(c.Streams))
}

// even is the rate that most slices of the window have, and their share: those within 2.5 % of it. What a bottleneck of a constant rate lets
// through is even, what losses by chance leave is not. Not ok: there are too few slices.
func (c *Case) even() (level, share float64, ok bool) {
	if c.Repeat == nil {
		return 0, 0, false
	}
	series := c.Repeat.SeriesOut
	if c.direction == "in" {
		series = c.Repeat.SeriesIn
	}
	if len(series) < 6 {
		return 0, 0, false
	}
	most := 0
	for _, v := range series {
		n := 0
		for _, w := range series {
			if math.Abs(v-w) <= sameShare/2*v {
				n++
			}
		}
		if v > 0 && n > most {
			most, level = n, v
		}
	}
	return level, float64(most) / float64(len(series)), most > 0
}

// evenEvidence of a bottleneck of a constant rate.
func (c *Case) evenEvidence(level, share float64) record.Evidence {
	return record.Evidence{Host: c.Receiver.Host, Source: "receiver's bytes", Counter: "goodput in slices", After: ptr(level), Unit: "bit/s",
		Text: fmt.Sprintf("goodput is even: %s of the time it is %s", unit.Percent(share), rate(level))}
}

// paceTwice is the experiment that tells losses by chance from those of a rate that is passed: paced to half of the goodput, the latter are gone.
func (c *Case) paceTwice() string {
	streams := max(1, len(c.Streams))
	pace := unit.BitRate(c.Goodput / 2 / float64(streams))
	return fmt.Sprintf("%s, and again with twice that: losses by chance stay the same share of what is sent, those of a limit on the rate or of a full buffer are gone at the lower one", c.with("pace", short(pace)))
}

// between names the way between the ends as a component.
func (c *Case) between() string { return "the way from " + c.Sender.Host + " to " + c.Receiver.Host }

// crowded says whether much else, a quarter and more, passed the interface of either end in the same time: then what a queue on the way lets through is not what was measured.
func (c *Case) crowded() bool {
	for _, at := range []struct {
		side    Side
		counter string
	}{{c.Receiver, "rx"}, {c.Sender, "tx"}} {
		all, _, seconds, ok := c.passed(at.side, at.counter)
		if !ok || len(c.Exp.Repeats) == 0 {
			continue
		}
		if ours, _ := c.most(seconds); all-ours >= 0.25*all {
			return true
		}
	}
	return false
}
