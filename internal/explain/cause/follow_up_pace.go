package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// rateDropper is the cause where losses at full rate disappear at a lower one, and no counter of either end has them:
// something on the path drops what exceeds its rate. A queue that fills before the drops shows in the round trips.
// Without one it is a policer, or a buffer too small to be seen from the hosts.
var rateDropper = judge.Cause{
	ID: "policer", Title: "something that drops above a rate", Applies: judge.IP, Settles: keptAtLowerRate,
	Test: func(c *judge.Case) *judge.Match {
		return dropsAboveRate(c, false)
	},
}

// queueDropper is the same after a full queue.
var queueDropper = judge.Cause{
	ID: "shallow-buffer", Title: "a queue that overflows", Applies: judge.IP, Settles: keptAtLowerRate,
	Test: func(c *judge.Case) *judge.Match {
		return dropsAboveRate(c, true)
	},
}

func dropsAboveRate(c *judge.Case, queue bool) *judge.Match {
	s := agreeing(c, lossGone)
	if s == nil || queued(c) != queue {
		return nil
	}
	from, to := c.Sender.Host, c.Receiver.Host
	m := c.Candidate(fmt.Sprintf("between %s and %s: something that drops above a rate", from, to),
		"is held back between the two: something there drops what comes too fast, and at %s nothing is lost. It is a limit "+
			"on the rate, or a port with next to no buffer; its own counters tell which.", judge.Rate(s.Case.Goodput))
	m.Add(lossEvidence(c, s))
	m.Fix = fmt.Sprintf("look at the switches between %s and %s for a limit on ingress or on the ports (police, "+
		"rate-limit, storm control); let the sender keep the rate in its place (tc tbf)", from, to)
	if queue {
		m.Component = fmt.Sprintf("between %s and %s: a queue that overflows", from, to)
		m.Sentence = fmt.Sprintf("%s is held back between the two: a queue there fills and drops what comes too fast, and "+
			"at %s nothing is lost.", c.Subject(), judge.Rate(s.Case.Goodput))
		m.Fix = fmt.Sprintf("look at the switches between %s and %s for a port of a lower rate or a small buffer; pace "+
			"the sender, or mark (ECN) in place of dropping", from, to)
		m.Add(queueEvidence(c))
	}
	if uncounted(c) {
		m.Likely(uncountedEvidence(c))
	}
	// If any number of streams carries the same, that is the rate. If more streams carry more, nothing follows: each TCP
	// connection slows down by itself after losses, whatever drops the packets.
	switch x := c.StepBy("streams"); {
	case c.OverUDP():
	case x == nil:
		if change := askStreams(c); !c.Tried(change) {
			m.Ask = &record.Next{Change: change, Why: "if another number of streams carries as much, that is the rate above " +
				"which all together are dropped; if not, each backs off by itself"}
		}
	case judge.SameGoodput(x.Case.Goodput, c.Goodput):
		m.Add(x.Evidence(c))
		m.Sentence += fmt.Sprintf(" All connections together get about %s.", judge.Rate(max(c.Goodput, x.Case.Goodput)))
	default:
		m.Add(x.Evidence(c))
	}
	return m
}

// lossByChance is the cause where the same share is lost at a lower rate, and no counter of either end has it.
var lossByChance = judge.Cause{
	ID: "random-loss", Title: "packets lost by chance", Applies: judge.IP, Settles: goneAtLowerRate,
	Test: func(c *judge.Case) *judge.Match {
		s := agreeing(c, lossStays)
		if s == nil {
			return nil
		}
		l, _ := lossesOf(c)
		m := c.Candidate(fmt.Sprintf("between %s and %s: packets are lost by chance", c.Sender.Host, c.Receiver.Host),
			"is held back between the two: %s of the packets are lost there, at any rate.", unit.Percent(l.share()))
		m.Add(lossEvidence(c, s))
		m.Fix = "change cable, module and port one after another, and read the error counters of the switches in between"
		if uncounted(c) {
			m.Likely(uncountedEvidence(c))
		}
		return m
	},
}

// agreeing returns a paced step with this outcome for the losses; nil: there is none, or paced steps disagree.
func agreeing(c *judge.Case, what int) (found *judge.Step) {
	if !lossy(c) {
		return nil
	}
	for _, s := range c.StepsBy("pace") {
		switch got := lossAt(c, s); got {
		case what:
			found = s
		case lossUnknown, lossUnclear:
		default:
			return nil
		}
	}
	return found
}

// queuedTimes and queuedLeast are the factor and the time from which on a round trip under load includes a queue.
const (
	queuedTimes = 3
	queuedLeast = 0.0005
)

// queued reports whether a queue on the path, not the sender's own, made the round trips longer.
func queued(c *judge.Case) bool {
	rtt, ok0 := c.Median(false, func(s *record.Socket) *float64 { return s.RTT })
	least, ok1 := c.Median(false, func(s *record.Socket) *float64 { return s.MinRTT })
	own, ok2 := c.Sum(false, judge.Integer(func(s *record.Socket) *int64 { return s.WmemAlloc }))
	if !ok0 || !ok1 || !ok2 || least <= 0 || c.Goodput <= 0 {
		return false
	}
	// The sender's own shaper delays packets, too, and may be empty when it is read.
	if g, why := c.Delta(c.Sender, "qdisc.overlimits"); why != "" || g.Net > 0 {
		return false
	}
	grown := rtt - least
	return rtt >= queuedTimes*least && grown >= queuedLeast && own*8/c.Goodput < grown/2
}

func queueEvidence(c *judge.Case) record.Evidence {
	rtt, _ := c.Median(false, func(s *record.Socket) *float64 { return s.RTT })
	least, _ := c.Median(false, func(s *record.Socket) *float64 { return s.MinRTT })
	return record.Evidence{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "rtt", Before: new(least), After: new(rtt),
		Unit: "s",
		Text: fmt.Sprintf("round trips grew from %s to %s under load, and little waits in the sender's own queue",
			unit.Seconds(least), unit.Seconds(rtt))}
}

func uncountedEvidence(c *judge.Case) record.Evidence {
	l, _ := lossesOf(c)
	return judge.Reading(c.Sender.Host+", "+c.Receiver.Host, "counters of drops", "drops", 0.0, "packets",
		"of the %.0f lost packets no counter that was read has any to speak of: they were lost between the ends", l.lost)
}
