package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// rateDropper: what is lost at full rate is not lost at a lower one, and no counter of either end has it: something in between
// drops what is above its rate. A queue that fills before it drops is seen in the round trips; without one it is a policer, or a buffer too
// small to be seen from the hosts.
var rateDropper = Cause{
	ID: "policer", Title: "something that drops above a rate",
	Test: func(c *Case) *Match {
		return c.dropsAboveRate(false)
	},
}

// queueDropper is the same behind a queue.
var queueDropper = Cause{
	ID: "shallow-buffer", Title: "a queue that overflows",
	Test: func(c *Case) *Match {
		return c.dropsAboveRate(true)
	},
}

func (c *Case) dropsAboveRate(queue bool) *Match {
	s := c.agreeing(lossGone)
	if s == nil || c.queued() != queue {
		return nil
	}
	from, to := c.Sender.Host, c.Receiver.Host
	m := &Match{
		Strength: Candidate, Component: fmt.Sprintf("between %s and %s: something that drops above a rate", from, to),
		Sentence: fmt.Sprintf("%s is held back between the two: something there drops what comes too fast, and at %s nothing is lost. It is a limit on the rate, or a port with next to no buffer; its own counters tell which.",
			c.subject(), rate(s.c.Goodput)),
		Evidence:    []record.Evidence{c.lossEvidence(s)},
		Fix:         fmt.Sprintf("look at the switches between %s and %s for a limit on ingress or on the ports (police, rate-limit, storm control), and let the sender keep the rate in its place (tc tbf)", from, to),
		NextCeiling: c.nextCeiling(""),
	}
	if queue {
		m.Component = fmt.Sprintf("between %s and %s: a queue that overflows", from, to)
		m.Sentence = fmt.Sprintf("%s is held back between the two: a queue there fills and drops what comes too fast, and at %s nothing is lost.", c.subject(), rate(s.c.Goodput))
		m.Fix = fmt.Sprintf("look at the switches between %s and %s for a port of a lower rate or a small buffer; pace the sender, or mark (ECN) in place of dropping", from, to)
		m.Evidence = append(m.Evidence, c.queueEvidence())
	}
	if c.uncounted() {
		m.Strength = Likely
		m.Evidence = append(m.Evidence, c.uncountedEvidence())
	}
	// That as many streams as one likes carry the same says at which rate. More that carry more say nothing: with losses each TCP connection
	// backs off by itself, whatever drops.
	switch x := c.by("streams"); {
	case c.overUDP():
	case x == nil:
		if change := askStreams(c); !c.tried(change) {
			m.Ask = &record.Next{Change: change, Why: "if another number of streams carries as much, that is the rate above which all together are dropped; if not, each backs off by itself"}
		}
	case alikeRates(x.c.Goodput, c.Goodput):
		m.Evidence = append(m.Evidence, x.evidence(c))
		m.Sentence += fmt.Sprintf(" All connections together get about %s.", rate(max(c.Goodput, x.c.Goodput)))
	default:
		m.Evidence = append(m.Evidence, x.evidence(c))
	}
	return m
}

// lossByChance: as large a part is lost at a lower rate, and no counter of either end has it.
var lossByChance = Cause{
	ID: "random-loss", Title: "packets lost by chance",
	Test: func(c *Case) *Match {
		s := c.agreeing(lossStays)
		if s == nil {
			return nil
		}
		l, _ := c.losses()
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("between %s and %s: packets are lost by chance", c.Sender.Host, c.Receiver.Host),
			Sentence:    fmt.Sprintf("%s is held back between the two: %s of the packets are lost there, at any rate.", c.subject(), unit.Percent(l.share())),
			Evidence:    []record.Evidence{c.lossEvidence(s)},
			Fix:         "change cable, module and port one after another, and read the error counters of the switches in between",
			NextCeiling: c.nextCeiling(""),
		}
		if c.uncounted() {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, c.uncountedEvidence())
		}
		return m
	},
}

// agreeing is a paced step in which the losses did that; nil: none was made, or paced steps do not say the same.
func (c *Case) agreeing(what int) (found *step) {
	if !c.lossy() {
		return nil
	}
	for _, s := range c.allBy("pace") {
		switch got := c.lossAt(s); got {
		case what:
			found = s
		case lossUnknown, lossUnclear:
		default:
			return nil
		}
	}
	return found
}

// queuedTimes and queuedLeast are from where on a round trip under load has a queue in it.
const (
	queuedTimes = 3
	queuedLeast = 0.0005
)

// queued says whether a queue on the path, not the sender's own, made the round trips longer.
func (c *Case) queued() bool {
	rtt, ok0 := c.median(false, func(s *record.Socket) *float64 { return s.RTT })
	least, ok1 := c.median(false, func(s *record.Socket) *float64 { return s.MinRTT })
	own, ok2 := c.sum(false, count(func(s *record.Socket) *int64 { return s.WmemAlloc }))
	if !ok0 || !ok1 || !ok2 || least <= 0 || c.Goodput <= 0 {
		return false
	}
	// A shaper of the sender's own delays what it lets through, too, and may be empty at the moment of looking.
	if g, why := c.delta(c.Sender, "qdisc.overlimits"); why != "" || g.Net > 0 {
		return false
	}
	grown := rtt - least
	return rtt >= queuedTimes*least && grown >= queuedLeast && own*8/c.Goodput < grown/2
}

func (c *Case) queueEvidence() record.Evidence {
	rtt, _ := c.median(false, func(s *record.Socket) *float64 { return s.RTT })
	least, _ := c.median(false, func(s *record.Socket) *float64 { return s.MinRTT })
	return record.Evidence{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "rtt", Before: ptr(least), After: ptr(rtt), Unit: "s",
		Text: fmt.Sprintf("round trips grew from %s to %s under load, and little waits in the sender's own queue", unit.Seconds(least), unit.Seconds(rtt))}
}

func (c *Case) uncountedEvidence() record.Evidence {
	l, _ := c.losses()
	return record.Evidence{Host: c.Sender.Host + ", " + c.Receiver.Host, Source: "counters of drops", Counter: "drops", After: ptr(0.0), Unit: "packets",
		Text: fmt.Sprintf("of the %.0f lost packets no counter that was read has any to speak of: they were lost between the ends", l.lost)}
}
