package explain

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// gone are the datagrams of an experiment that did not arrive, where they are enough to say where its rate went.
type gone struct {
	share   float64 // of what was sent in the window
	missing float64 // over the whole time of all repeats
	sent    float64 // the same
	dropped float64 // by the receiving sockets, the same
	gaps    float64
	// scatter is the median of the streams, 0: not known.
	scatter float64
}

// gone is nil where next to nothing is lost, or it is not known.
func (c *Case) gone() *gone {
	if !c.overUDP() || c.Exp.Method == "ping" {
		return nil
	}
	sent, lost, _, _, known := c.datagrams()
	if !known || sent <= 0 || lost <= 0 || !c.tells(lost/sent) {
		return nil
	}
	g := &gone{share: lost / sent}
	n := 0
	for _, r := range c.Exp.Repeats {
		for _, s := range r.Streams {
			if s.Direction != c.direction {
				continue
			}
			if s.Missing == nil || s.Drops == nil || s.Total == nil {
				return nil
			}
			g.missing, g.sent = g.missing+float64(*s.Missing), g.sent+float64(*s.Total)
			g.dropped += droppedDatagrams(s)
			if s.Gaps != nil {
				g.gaps += float64(*s.Gaps)
			}
			if s.Scatter != nil {
				g.scatter, n = g.scatter+*s.Scatter, n+1
			}
		}
	}
	if g.scatter /= math.Max(1, float64(n)); c.Exp.UDP != nil && c.Exp.UDP.Reordered != nil && float64(*c.Exp.UDP.Reordered) > sameShare*g.gaps {
		g.scatter = 0 // what came late left a gap that is none
	}
	return g
}

// tells says whether a share of what is sent that is lost accounts for goodput that is missing: little of it must not be laid to
// a little loss. More than what was asked for nobody misses.
func (c *Case) tells(share float64) bool {
	want := c.Ceiling
	if asked := c.askedPace(c.Exp.Settings["pace"]); asked != nil && (want <= 0 || *asked < want) {
		want = *asked
	}
	return share >= tellingLoss && share < 1 && (want <= 0 || c.Goodput*share/(1-share) >= (want-c.Goodput)/2)
}

// evidence of what is missing.
func (g *gone) evidence(c *Case) record.Evidence {
	return record.Evidence{Host: c.Receiver.Host, Source: "numbers in the datagrams", Counter: "missing", After: ptr(g.missing), Unit: "datagrams",
		Text: fmt.Sprintf("%.0f of %.0f datagrams did not arrive, at %.0f places", g.missing, g.sent, g.gaps)}
}

// fromSockets says whether the receiving sockets dropped a part of what is missing that is worth a word; then the way is not what lost it.
func (g *gone) fromSockets() bool { return g.dropped >= sameShare*g.missing }

// udpPolicer is policer for datagrams: a rule of a firewall that drops what comes above a rate, and has counted what is missing.
var udpPolicer = Cause{
	ID: policer.ID, Title: policer.Title, Transport: "udp",
	Test: func(c *Case) *Match {
		g := c.gone()
		if g == nil {
			return nil
		}
		return c.policed(g.evidence(c))
	},
}

// udpFullPort is shallow-buffer for datagrams, which do not slow down: whatever buffer a slower port of a switch has, it overflows. The identity
// is what the port dropped against what is missing.
var udpFullPort = Cause{
	ID: shallowBuffer.ID, Title: shallowBuffer.Title, Transport: "udp",
	Test: func(c *Case) *Match {
		g := c.gone()
		if g == nil {
			return nil
		}
		list, _ := c.dropped()
		total, most := 0.0, drop{}
		for _, d := range list {
			if d.Twice != "" || d.Host == c.Sender.Host || d.Host == c.Receiver.Host {
				continue
			}
			if total += d.Count; d.Count > most.Count {
				most = d
			}
		}
		total = c.inDatagrams(total, g.missing)
		if total < sameShare*g.missing || g.fromSockets() {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("%s: %s", most.Host, most.Subject),
			Sentence: fmt.Sprintf("%s loses %s of its datagrams on %s: %s has no room for what comes faster than it sends, and dropped %s.", c.subject(), unit.Percent(g.share), most.Host, most.Subject, datagrams(total)),
			Evidence: []record.Evidence{g.evidence(c), {Host: most.Host, Source: most.Source, Counter: most.Counter, Before: ptr(0), After: ptr(most.Count), Unit: "packets",
				Text: fmt.Sprintf("%s on %s grew by %.0f during the experiment", most.what(), most.Host, most.Count)}},
			Fix: fmt.Sprintf("ask %s for the speed of %s (a Linux switch: ethtool %[2]s, tc -s qdisc show dev %[2]s): it is slower than what is sent\nuntil then, send slower: %[3]s",
				most.Host, most.Subject, c.with("pace", unit.BitRate(c.Goodput/float64(max(1, len(c.Streams)))).String())),
			NextCeiling: c.nextCeiling(""),
		}
		if d, ok := closes(total, g.missing); ok {
			m.Strength = Proved
			m.Identity = &record.Identity{Left: datagrams(total) + " dropped by " + most.Host, Right: "not arrived: " + datagrams(g.missing), Difference: d}
		}
		identity := m.Identity
		c.slowerPort(m)
		if identity != nil {
			m.Identity = identity
		}
		return m
	},
}

const (
	// chanceGap and chanceScatter are how far the mean length of a gap, and the scatter of gaps, may be from what chance makes of as large a loss.
	chanceGap     = 0.15
	chanceScatter = 0.3
)

// udpRandomLoss is random-loss for datagrams: what is missing was lost between the two interfaces, no counter that was read has it, and its
// places are those that chance makes: something that drops above a rate, or a queue, drops several in a row, or evenly.
var udpRandomLoss = Cause{
	ID: randomLoss.ID, Title: randomLoss.Title, Transport: "udp",
	Test: func(c *Case) *Match {
		g := c.gone()
		if g == nil || g.fromSockets() || !c.uncounted() {
			return nil
		}
		between := c.account("crossed", "")
		m := &Match{
			Strength: Candidate, Component: c.between() + ": losses",
			Sentence: fmt.Sprintf("%s is held back by losses on the way between the two: %s of the datagrams do not arrive, one here and one there, and no counter of either end has them.",
				c.subject(), unit.Percent(g.share)),
			Evidence: []record.Evidence{g.evidence(c)},
			Fix: "ask every switch of the way for errors and drops of its ports (a Linux switch: ethtool -S PORT, ip -s link show dev PORT), then try another cable, another module, another port\n" +
				"measured at half the rate, the losses of a limit on the rate are gone, and those of a bad cable stay",
			NextCeiling: c.nextCeiling(""),
		}
		if between == nil || between.Closes == nil || !*between.Closes || g.gaps < fewestGaps || g.scatter <= 0 {
			return m
		}
		m.Evidence = append(m.Evidence, record.Evidence{Host: c.Sender.Host + ", " + c.Receiver.Host, Source: "ip -s link", Counter: "payload", After: between.Right.Value, Unit: "datagrams",
			Text: fmt.Sprintf("%.0f of those that left the sender's interface did not come to the receiver's", *between.Right.Value)})
		// Losses of a share p that know nothing of each other: gaps are geometric with mean 1/(1-p), what lies between them with mean 1/p.
		p := g.missing / g.sent
		length, scatter := 1/(1-p), ((1-p)/(p*p)+p/((1-p)*(1-p)))/math.Pow(1/p+1/(1-p), 2)
		if math.Abs(g.missing/g.gaps/length-1) > chanceGap || math.Abs(g.scatter/scatter-1) > chanceScatter {
			return m
		}
		m.Strength = Likely
		m.Evidence = append(m.Evidence, record.Evidence{Host: c.Receiver.Host, Source: "numbers in the datagrams", Counter: "gaps", After: ptr(g.missing / g.gaps), Unit: "datagrams",
			Text: fmt.Sprintf("%s are missing at a time, and the places scatter by %.2f: chance makes %s and %.2f of as large a loss", unit.Significant(g.missing/g.gaps), g.scatter, unit.Significant(length), scatter)})
		return m
	},
}

// fewestGaps is from how many places on their shape means something.
const fewestGaps = 40
