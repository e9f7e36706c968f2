package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// perConnection says whether the number of streams decides how much is carried.
func (s *step) perConnection(c *Case) bool {
	if streamsOf(s.exp) > streamsOf(c.Exp) {
		return s.ratio(c) >= muchMore
	}
	return s.ratio(c) <= 1/muchMore
}

// sharedPath: one stream carries as much as many, and the ends have time left: what holds them back is shared and in between. A queue or
// losses on the path are the second piece.
var sharedPath = Cause{
	ID: "path", Title: "something between the hosts", Transport: "tcp",
	Test: func(c *Case) *Match {
		s := c.by("streams")
		if s == nil || !alikeRates(s.c.Goodput, c.Goodput) || c.processorBound() != nil || s.c.processorBound() != nil {
			return nil
		}
		if waited, ok := c.limitedShare(func(s *record.Socket) *float64 { return s.RwndLimited }); !ok || waited >= 0.3 {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("between %s and %s: something that all connections share", c.Sender.Host, c.Receiver.Host),
			Sentence: fmt.Sprintf("%s is held back between the two: something that all connections share lets %s through. The hosts alone do not tell which device it is.",
				c.subject(), rate(c.Goodput)),
			Evidence:    []record.Evidence{s.evidence(c)},
			Fix:         fmt.Sprintf("look at the switches between %s and %s: the rate of each port, limits on them, whether a processor forwards", c.Sender.Host, c.Receiver.Host),
			NextCeiling: c.nextCeiling(""),
		}
		switch {
		case c.queued() && s.c.queued():
			m.Strength = Likely
			m.Evidence = append(m.Evidence, c.queueEvidence())
		case c.lossy() && s.c.lossy():
			m.Strength = Likely
			m.Evidence = append(m.Evidence, c.uncountedEvidence())
		}
		return m
	},
}

// limitOfOne: many connections carry much more than one, nothing is lost, and with one its own congestion window, or a thread or core of an
// end, is full.
var limitOfOne = Cause{
	ID: oneConnection, Title: "one connection", Transport: "tcp",
	Test: func(c *Case) *Match {
		s := c.by("streams")
		if s == nil || !s.perConnection(c) {
			return nil
		}
		few, many := c, s.c
		if streamsOf(s.exp) < streamsOf(c.Exp) {
			few, many = s.c, c
		}
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("%s -> %s: what one connection can do", c.Sender.Host, c.Receiver.Host),
			Sentence: fmt.Sprintf("%s is held back by what one connection can do: %s carry %s, %s %s.", c.subject(),
				plural(streamsOf(many.Exp), "stream"), rate(many.Goodput), plural(streamsOf(few.Exp), "stream"), rate(few.Goodput)),
			Evidence:    []record.Evidence{s.evidence(c)},
			Fix:         "use more connections: streams of a copy, nconnect of NFS, sessions of iSCSI, channels of SMB",
			NextCeiling: c.nextCeiling(""),
		}
		if few.lossy() {
			return m // each connection backs off by itself, whatever drops
		}
		if e := few.ownWindow(); e != nil {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, *e)
		} else if b := few.processorBound(); b != nil && many.processorBound() == nil {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, b.evidence)
		}
		return m
	},
}

// ownWindow is that what TCP lets a connection have in flight, over a round trip, is its goodput; nil: it is not, or not known. Round trips below
// clearRoundTrip are what hosts take to answer.
func (c *Case) ownWindow() *record.Evidence {
	windows, ok0 := c.each(false, count(func(s *record.Socket) *int64 { return s.Cwnd }))
	sizes, ok1 := c.each(false, count(func(s *record.Socket) *int64 { return s.MSS }))
	rtts, ok2 := c.each(false, func(s *record.Socket) *float64 { return s.RTT })
	if !ok0 || !ok1 || !ok2 {
		return nil
	}
	allowed := 0.0
	for i := range windows {
		if rtts[i] < clearRoundTrip {
			return nil
		}
		allowed += windows[i] * sizes[i] * 8 / rtts[i]
	}
	if _, same := closes(allowed, c.Goodput); !same {
		return nil
	}
	return &record.Evidence{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "snd_cwnd", After: ptr(windows[0]), Unit: "segments",
		Text: fmt.Sprintf("its congestion window, %.0f segments in a round trip of %s, allows %s, and that is what it carries", windows[0], unit.Seconds(rtts[0]), rate(allowed))}
}

// ofOneConnection are causes that hold each connection by itself: more streams carry more under them, and where they do not, it is none of these.
var ofOneConnection = map[string]bool{
	"receive-window-cap": true, "send-buffer-cap": true, "window-scaling-off": true, "fixed-socket-buffer": true, "socket-pacing": true,
}

// settled is what a step says of a candidate: another piece of evidence, or that it is not the cause.
func (c *Case) settled(id string) (more *record.Evidence, against bool) {
	switch id {
	case rateDropper.ID, queueDropper.ID:
		return nil, c.agreeing(lossStays) != nil
	case lossByChance.ID:
		return nil, c.agreeing(lossGone) != nil
	}
	s := c.by("streams")
	if s == nil || !ofOneConnection[id] {
		return nil, false
	}
	if s.perConnection(c) {
		e := s.evidence(c)
		return &e, false
	}
	return nil, alikeRates(s.c.Goodput, c.Goodput)
}
