package cause

import (
	"fmt"
	"math"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// losses are the losses on the path of one experiment.
type losses struct {
	judge.Retransmits
	// Dropped is the sum of all drop counters on the path, without those of the sender's own queue, of which TCP learns at
	// once. At has those of switches.
	Dropped float64
	At      []judge.Drop
	// Rate is the share of the segments of the interval that were retransmitted.
	Rate float64
	// Episode is the number of segments lost at a time: those retransmitted each time TCP noticed a loss. Again is the
	// share of retransmitted segments that were lost again. Timeouts counts how often no acknowledgement arrived at all.
	Episode, Again, Timeouts float64
	// Slices is the share of the interval's slices in which something was retransmitted.
	Slices float64
}

// minLosses is the number of lost segments from which on their pattern is meaningful. Fewer may be chance.
const minLosses = 8

// lost returns the losses; nil: nothing was lost, nothing of it in the interval, or it is not known.
func lost(c *judge.Case) *losses {
	if c.OverUDP() || c.Repeat == nil {
		return nil
	}
	r, why := c.Retransmitted()
	if why != "" || r.Segments < minLosses {
		return nil
	}
	l := &losses{Retransmits: r}
	list, _ := c.Dropped()
	for _, d := range list {
		if d.Twice == "" && !d.Own {
			l.Dropped += d.Count
			if d.Host != c.Sender.Host && d.Host != c.Receiver.Host {
				l.At = append(l.At, d)
			}
		}
	}
	again, ok0 := c.Sum(false, judge.Integer(func(s *record.Socket) *int64 { return s.Retrans }))
	spurious, ok1 := c.Sum(false, judge.Integer(func(s *record.Socket) *int64 { return s.DSACKDups }))
	sent, ok2 := c.Sum(false, judge.Integer(func(s *record.Socket) *int64 { return s.SegsOut }))
	if !ok0 || !ok1 || !ok2 || sent <= 0 {
		return nil
	}
	if r.All > 0 { // a socket counts answers, of which one may be about several segments; the host counts segments
		spurious = max(spurious, again*r.Spurious/r.All)
	}
	if again <= spurious {
		return nil // losses while the connections start do not limit the interval
	}
	l.Rate = (again - spurious) / sent
	times := 0.0
	for _, name := range []string{"TcpExt.TCPSackRecovery", "TcpExt.TCPRenoRecovery", "TcpExt.TCPTimeouts"} {
		if g, why := c.Delta(c.Sender, name); why == "" {
			times += g.Net
			if name == "TcpExt.TCPTimeouts" {
				l.Timeouts = g.Net
			}
		}
	}
	l.Episode = r.Segments / max(1, times)
	if g, why := c.Delta(c.Sender, "TcpExt.TCPLostRetransmit"); why == "" {
		l.Again = g.Net / r.All
	}
	series, hit := c.Repeat.RetransOut, 0
	if c.Direction == "in" {
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

// outside reports whether no counter that was read has any of the losses.
func (l *losses) outside() bool { return l.Dropped < judge.AccountTolerance*l.Segments }

func (l *losses) evidence(c *judge.Case) record.Evidence {
	return judge.Reading(c.Sender.Host, "TCP_INFO, "+l.Source, "retrans", l.Segments, "segments",
		"%s lost and retransmitted, %s of what was sent in the interval; %s at a time; the counters of the way have "+
			"%.0f of them", judge.WasOrWere(l.Segments), unit.Percent(l.Rate), unit.Significant(l.Episode), l.Dropped)
}

// waits are the round trips of the interval: on the empty path, and with queues.
type waits struct {
	Least, Now float64 // s
	// Own is the delay of the sender's own queue at the ceiling's rate, s.
	Own float64
}

// waited returns the round trips from the sockets; ok is false if these do not have them.
func waited(c *judge.Case) (w waits, ok bool) {
	// Of two streams the shorter one is taken: a single reading of a round trip may be disturbed.
	all, ok0 := c.Each(false, func(s *record.Socket) *float64 { return s.RTT })
	if !ok0 {
		return w, false
	}
	slices.Sort(all)
	now := all[(len(all)-1)/2]
	least, ok1 := c.Median(false, func(s *record.Socket) *float64 { return s.MinRTT })
	own, ok2 := c.Sum(false, judge.Integer(func(s *record.Socket) *int64 { return s.WmemAlloc }))
	if !ok1 || !ok2 || c.Ceiling <= 0 {
		return w, false
	}
	return waits{Least: least, Now: now, Own: own * 8 / c.Ceiling}, true
}

// Queue returns what queues past the sender add to a round trip, s.
func (w waits) Queue() float64 { return max(0, w.Now-w.Least-w.Own) }

func (w waits) evidence(c *judge.Case) record.Evidence {
	return record.Evidence{Host: c.Sender.Host, Source: "TCP_INFO, SO_MEMINFO", Counter: "rtt", Before: new(w.Least),
		After: new(w.Now), Unit: "s",
		Text: fmt.Sprintf("a round trip takes %s, %s at least; the sender's own queue has %s of it", unit.Seconds(w.Now),
			unit.Seconds(w.Least), unit.Seconds(w.Own))}
}

// free reports whether the connections can only have waited for the network: the receive window, the send buffer and
// the program left room nearly all of the time.
func free(c *judge.Case) bool {
	for _, field := range []func(*record.Socket) *float64{func(s *record.Socket) *float64 { return s.RwndLimited },
		func(s *record.Socket) *float64 { return s.SndbufLimited }} {
		if share, ok := limitedShare(c, field); !ok || share > 0.1 {
			return false
		}
	}
	busy, ok := c.Sum(false, func(s *record.Socket) *float64 { return s.BusySeconds })
	return ok && busy >= 0.9*c.Interval*float64(len(c.Streams))
}

// even returns the rate that most slices of the interval have, and the share of slices within 2.5 % of it. A bottleneck
// of constant rate makes goodput even, random losses do not. ok is false if there are too few slices.
func even(c *judge.Case) (level, share float64, ok bool) {
	if c.Repeat == nil {
		return 0, 0, false
	}
	series := c.Repeat.SeriesOut
	if c.Direction == "in" {
		series = c.Repeat.SeriesIn
	}
	if len(series) < 6 {
		return 0, 0, false
	}
	most := 0
	for _, v := range series {
		n := 0
		for _, w := range series {
			if math.Abs(v-w) <= judge.AccountTolerance/2*v {
				n++
			}
		}
		if v > 0 && n > most {
			most, level = n, v
		}
	}
	return level, float64(most) / float64(len(series)), most > 0
}

func evenEvidence(c *judge.Case, level, share float64) record.Evidence {
	return judge.Reading(c.Receiver.Host, "receiver's bytes", "goodput in slices", level, "bit/s",
		"goodput is even: %s of the time it is %s", unit.Percent(share), judge.Rate(level))
}

// paceTwice is the experiment that separates random losses from those above a rate: paced to half of the goodput, the
// latter disappear.
func paceTwice(c *judge.Case) string {
	streams := max(1, len(c.Streams))
	pace := unit.BitRate(c.Goodput / 2 / float64(streams))
	return fmt.Sprintf("%s, and again with twice that; losses by chance stay the same share of what is sent; those "+
		"of a limit on the rate or of a full buffer are gone at the lower one", c.With("pace", judge.ShortRate(pace)))
}
