package cause

import (
	"fmt"
	"math"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// lostDatagrams are the datagrams of an experiment that did not arrive, where they are enough to explain its rate.
type lostDatagrams struct {
	share   float64 // of what was sent in the interval
	missing float64 // over the whole time of all repeats
	sent    float64 // the same
	dropped float64 // by the receiving sockets, the same
	gaps    float64
	// scatter is the median over the streams; 0: not known.
	scatter float64
}

// gone returns the lost datagrams; nil: next to nothing is lost, or it is not known.
func gone(c *judge.Case) *lostDatagrams {
	if !c.OverUDP() || method.Named(c.Exp.Method).RoundTrips {
		return nil
	}
	sent, lost, _, _, known := c.Datagrams()
	if !known || sent <= 0 || lost <= 0 || !explains(c, lost/sent) {
		return nil
	}
	g := &lostDatagrams{share: lost / sent}
	n := 0
	for _, r := range c.Exp.Repeats {
		for _, s := range r.Streams {
			if s.Direction != c.Direction {
				continue
			}
			if s.Missing == nil || s.Drops == nil || s.Total == nil {
				return nil
			}
			g.missing, g.sent = g.missing+float64(*s.Missing), g.sent+float64(*s.Total)
			g.dropped += judge.DroppedDatagrams(s)
			if s.Gaps != nil {
				g.gaps += float64(*s.Gaps)
			}
			if s.Scatter != nil {
				g.scatter, n = g.scatter+*s.Scatter, n+1
			}
		}
	}
	if g.scatter /= math.Max(1, float64(n)); c.Exp.UDP != nil && c.Exp.UDP.Reordered != nil &&
		float64(*c.Exp.UDP.Reordered) > judge.AccountTolerance*g.gaps {
		g.scatter = 0 // late datagrams left gaps that are not losses
	}
	return g
}

// explains reports whether a share of lost datagrams accounts for the missing goodput. Small losses do not explain a
// large difference. Goodput above the requested rate is not missing.
func explains(c *judge.Case, share float64) bool {
	want := c.Ceiling
	if asked := askedPace(c, c.Exp.Settings["pace"]); asked != nil && (want <= 0 || *asked < want) {
		want = *asked
	}
	return share >= judge.MinDatagramLoss && share < 1 && (want <= 0 || c.Goodput*share/(1-share) >= (want-c.Goodput)/2)
}

func (g *lostDatagrams) evidence(c *judge.Case) record.Evidence {
	return judge.Reading(c.Receiver.Host, "numbers in the datagrams", "missing", g.missing, "datagrams",
		"%.0f of %.0f datagrams did not arrive, at %.0f places", g.missing, g.sent, g.gaps)
}

// fromSockets reports whether the receiving sockets dropped a notable part of the missing datagrams, so that these were
// not lost on the path.
func (g *lostDatagrams) fromSockets() bool { return g.dropped >= judge.AccountTolerance*g.missing }

// udpPolicer is policer for datagrams: a firewall rule that drops traffic above a rate, and has counted the missing
// datagrams.
var udpPolicer = judge.Cause{
	ID: policer.ID, Title: policer.Title, Applies: judge.UDP, Settles: keptAtLowerRate,
	Test: func(c *judge.Case) *judge.Match {
		g := gone(c)
		if g == nil {
			return nil
		}
		return policed(c, g.evidence(c))
	},
}

// udpFullPort is shallow-buffer for datagrams, which do not slow down: whatever buffer a slower port of a switch has,
// it overflows. The identity compares the port's drops with the missing datagrams.
var udpFullPort = judge.Cause{
	ID: shallowBuffer.ID, Title: shallowBuffer.Title, Applies: judge.UDP, Settles: keptAtLowerRate,
	Test: func(c *judge.Case) *judge.Match {
		g := gone(c)
		if g == nil {
			return nil
		}
		list, _ := c.Dropped()
		total, most := 0.0, judge.Drop{}
		for _, d := range list {
			if d.Twice != "" || d.Host == c.Sender.Host || d.Host == c.Receiver.Host {
				continue
			}
			if total += d.Count; d.Count > most.Count {
				most = d
			}
		}
		total = c.InDatagrams(total, g.missing)
		if total < judge.AccountTolerance*g.missing || g.fromSockets() {
			return nil
		}
		m := c.Candidate(fmt.Sprintf("%s: %s", most.Host, most.Subject), "loses %s of its datagrams on %s: %s has no room "+
			"for what comes faster than it sends, and dropped %s.", unit.Percent(g.share), most.Host, most.Subject,
			judge.Datagrams(total))
		m.Add(g.evidence(c), judge.Rise(most.Host, most.Source, most.Counter, most.Count, "packets", "%s on %s grew by "+
			"%.0f during the experiment", most.Label(), most.Host, most.Count))
		m.Fix = fmt.Sprintf("ask %s for the speed of %s (a Linux switch: ethtool %[2]s, tc -s qdisc show dev %[2]s): it is "+
			"slower than what is sent\nuntil then, send slower: %[3]s", most.Host, most.Subject, c.With("pace",
			unit.BitRate(c.Goodput/float64(max(1, len(c.Streams)))).String()))
		m.Proves(total, g.missing, judge.Datagrams(total)+" dropped by "+most.Host, "not arrived: "+
			judge.Datagrams(g.missing))
		identity := m.Identity
		slowerPort(c, m)
		if identity != nil {
			m.Identity = identity
		}
		return m
	},
}

const (
	// chanceGap and chanceScatter are how far the mean length of a gap, and the scatter of gaps, may differ from those of
	// random losses of the same share.
	chanceGap     = 0.15
	chanceScatter = 0.3
)

// udpRandomLoss is random-loss for datagrams: the missing datagrams were lost between the two interfaces, no counter
// that was read has them, and their pattern is random. A policer or a queue drops several in a row, or evenly.
var udpRandomLoss = judge.Cause{
	ID: randomLoss.ID, Title: randomLoss.Title, Applies: judge.UDP, Settles: goneAtLowerRate,
	Test: func(c *judge.Case) *judge.Match {
		g := gone(c)
		if g == nil || g.fromSockets() || !uncounted(c) {
			return nil
		}
		between := c.Account("crossed", "")
		m := c.Candidate(c.Between()+": losses", "is held back by losses on the way between the two. %s of the "+
			"datagrams do not arrive, one here and one there, and no counter of either end has "+
			"them.", unit.Percent(g.share))
		m.Add(g.evidence(c))
		m.Fix = "ask every switch of the way for errors and drops of its ports (a Linux switch: ethtool -S PORT, ip -s " +
			"link show dev PORT); then try another cable, another module, another port\nmeasured at half the rate, the " +
			"losses of a limit on the rate are gone, and those of a bad cable stay"
		if between == nil || between.Closes == nil || !*between.Closes || g.gaps < fewestGaps || g.scatter <= 0 {
			return m
		}
		m.Add(record.Evidence{Host: c.Sender.Host + ", " + c.Receiver.Host, Source: "ip -s link", Counter: "payload",
			After: between.Right.Value, Unit: "datagrams", Text: fmt.Sprintf("%.0f of those that left the sender's interface "+
				"did not come to the receiver's", *between.Right.Value)})
		// With independent losses of share p, gaps are geometric with mean 1/(1-p), and the distances between them with mean
		// 1/p.
		p := g.missing / g.sent
		length, scatter := 1/(1-p), ((1-p)/(p*p)+p/((1-p)*(1-p)))/math.Pow(1/p+1/(1-p), 2)
		if math.Abs(g.missing/g.gaps/length-1) > chanceGap || math.Abs(g.scatter/scatter-1) > chanceScatter {
			return m
		}
		m.Likely(judge.Reading(c.Receiver.Host, "numbers in the datagrams", "gaps", g.missing/g.gaps, "datagrams",
			"%s are missing at a time, and the places scatter by %.2f: chance makes %s and %.2f of as large a loss",
			unit.Significant(g.missing/g.gaps), g.scatter, unit.Significant(length), scatter))
		return m
	},
}

// fewestGaps is the number of gaps from which on their pattern is meaningful.
const fewestGaps = 40
