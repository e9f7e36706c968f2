package cause

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// asking is one situation in which another experiment can tell the remaining causes apart.
type asking struct {
	// change returns the settings that differ in that experiment; nil: the situation does not apply.
	change func(*judge.Case) map[string]string
	// why is what its outcomes mean.
	why string
}

// asks are ordered by their information, most first. The first one whose change was not tried is the next experiment of
// a verdict without a cause.
var asks = []asking{
	{askMemory, "if memory carries more, the drive or the file holds it back; if not, what comes after it"},
	{askMTU, "if small packets get through, the large ones are lost on the way; if not, their size is not what matters"},
	{askHalf, "if nothing is lost at half the rate, something drops what comes too fast; if as large a part is, " +
		"packets are lost by chance"},
	{askNearly, "half the rate left open whether losses come with the rate: close to it they do, or do not"},
	{askStreams, "if the number of streams makes no difference, all share what holds them back; if it does, each " +
		"connection has its own limit"},
	{askCore, "if other cores carry more, it was the cores; if not, it is elsewhere"},
	{askDirection, "if the other direction is full, cable and NICs are not what limits; if it is the same, both ways " +
		"share the limit"},
}

// ask returns the experiment that would tell more; nil: none of the table would.
func ask(c *judge.Case) *record.Next {
	if c.Exp.Pattern != "" || !method.Named(c.Exp.Method).Bulk || c.Exp.Direction != "out" && c.Exp.Direction != "in" ||
		c.Goodput <= 0 {
		return nil
	}
	for _, a := range asks {
		if change := a.change(c); change != nil && !c.Tried(change) {
			return &record.Next{Change: change, Why: a.why}
		}
	}
	return nil
}

func askMemory(c *judge.Case) map[string]string {
	if c.Exp.Settings["source"] == "" {
		return nil
	}
	return map[string]string{"source": ""}
}

// jumbo is the MTU from which on a hop of the path may have a smaller one.
const jumbo = 1501

// starvedShare is the share of its ceiling below which a path carries next to nothing.
const starvedShare = 0.05

func askMTU(c *judge.Case) map[string]string {
	mtu, err := strconv.Atoi(c.Exp.InEffect["mtu"])
	if err != nil || mtu < jumbo || !c.Lab || c.Share() >= starvedShare {
		return nil // only a lab sets an MTU for one experiment
	}
	return map[string]string{"mtu": "1500"}
}

func askHalf(c *judge.Case) map[string]string { return askPace(c, 0.5) }

func askNearly(c *judge.Case) map[string]string {
	if s := c.StepBy("pace"); s == nil || lossAt(c, s) != lossUnclear {
		return nil
	}
	return askPace(c, 0.8)
}

// askPace requests a share of the goodput, where packets are lost that no counter has.
func askPace(c *judge.Case, share float64) map[string]string {
	// TCP's goodput is not a chosen rate. Datagrams are sent at the requested rate.
	if c.Exp.Settings["pace"] != "" && !c.OverUDP() || c.Exp.Settings["amount"] != "" || !lossy(c) {
		return nil
	}
	v := share * c.Goodput / float64(judge.StreamsOf(c.Exp))
	if v < 1e5 {
		return nil
	}
	return map[string]string{"pace": strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", v/1e6), "0"), ".") + "M"}
}

func askStreams(c *judge.Case) map[string]string {
	if c.OverUDP() {
		return nil
	}
	if judge.StreamsOf(c.Exp) > 1 {
		if judge.StreamsOf(c.Exp) < judge.StreamsFactor {
			return map[string]string{"streams": fmt.Sprint(judge.StreamsFactor * judge.StreamsOf(c.Exp))}
		}
		return map[string]string{"streams": "1"}
	}
	return map[string]string{"streams": "8"}
}

// busyCore is the use of a core from which on trying another core is worthwhile.
const busyCore = 0.7

func askCore(c *judge.Case) map[string]string {
	if c.OverUDP() || c.Exp.Settings["placement"] != "" || judge.StreamsOf(c.Exp) > 1 {
		return nil
	}
	var at [2]string
	maximumSpeed := false
	for i, end := range c.Exp.Ends {
		if i > 1 {
			return nil
		}
		core, share, ok := c.BusiestCore(end.Host)
		other := -1
		if ok {
			other = idlestCore(c, end.Host)
		}
		if other < 0 || other == core {
			return nil
		}
		maximumSpeed = maximumSpeed || share >= busyCore
		at[i] = fmt.Sprint(other)
	}
	if !maximumSpeed {
		return nil
	}
	return map[string]string{"placement": at[0] + "/" + at[1]}
}

// idlestCore returns the least busy core of a host; -1: not known.
func idlestCore(c *judge.Case, host string) int {
	best, least := -1, 2.0
	for _, u := range c.Repeat.CPU {
		if used := u.Busy() + u.Steal; u.Host == host && u.Core >= 0 && used < least {
			best, least = u.Core, used
		}
	}
	return best
}

func askDirection(c *judge.Case) map[string]string {
	return map[string]string{"direction": map[string]string{"out": "in", "in": "out"}[c.Exp.Direction]}
}

// loss has the segments lost and sent in the steady intervals of all repeats.
type loss struct{ lost, sent float64 }

func (l loss) share() float64 { return l.lost / l.sent }

// lossesOf returns the losses of an experiment; ok is false if they are not known.
func lossesOf(c *judge.Case) (l loss, ok bool) {
	if c.OverUDP() {
		u := c.Exp.UDP
		if u == nil || u.Lost == nil || u.Datagrams == nil || *u.Datagrams <= 0 || *u.Lost < 0 {
			return l, false
		}
		return loss{float64(*u.Lost), float64(*u.Datagrams)}, true
	}
	again, ok0 := c.OverRepeats(func(s *record.Socket) *int64 { return s.Retrans })
	sent, ok1 := c.OverRepeats(func(s *record.Socket) *int64 { return s.SegsOut })
	if !ok0 || !ok1 || sent <= 0 || again < 0 {
		return l, false
	}
	if had, ok := c.OverRepeats(func(s *record.Socket) *int64 { return s.DSACKDups }); ok && had > 0 {
		again -= min(had, again)
	}
	return loss{again, sent}, true
}

// tellingLosses is the number of lost packets from which on a share of them is meaningful.
const tellingLosses = 20

// lossy reports whether so many packets are lost that TCP slows down, and no counter of either end has them.
func lossy(c *judge.Case) bool {
	l, ok := lossesOf(c)
	return ok && l.lost >= tellingLosses && l.share() >= 1e-4 && uncounted(c)
}

// uncounted reports whether no counter of drops, at either end or on a switch that was read, grew by as much as a tenth
// of the losses. It is false if the counters of an end are not known. Those of a switch may be unknown.
func uncounted(c *judge.Case) bool {
	l, ok := lossesOf(c)
	_, unknown := c.DroppedAt(c.Sender, judge.AtSender)
	_, more := c.DroppedAt(c.Receiver, judge.AtReceiver)
	if !ok || len(unknown)+len(more) > 0 || c.SilentRules() > 0 {
		return false
	}
	list, _ := c.Dropped()
	total := 0.0
	if c.OverUDP() {
		for _, r := range c.Exp.Repeats {
			for _, s := range r.Streams {
				if s.Direction != c.Direction {
					continue
				}
				if s.Drops == nil {
					return false
				}
				total += judge.DroppedDatagrams(s)
			}
		}
	}
	for _, d := range list {
		if d.Twice == "" {
			total += d.Count * c.Merged()
		}
	}
	return total < 0.1*l.lost
}

// How losses depend on the rate.
const (
	lossUnknown = iota
	lossGone    // disappear at a lower rate
	lossStays
	lossUnclear
)

// lossAt compares the losses in a paced step with those at full rate.
func lossAt(c *judge.Case, s *judge.Step) int {
	was, ok0 := lossesOf(c)
	now, ok1 := lossesOf(s.Case)
	pace := askedPace(s.Case, s.Change["pace"])
	if !ok0 || !ok1 || pace == nil || s.Case.Goodput < 0.8**pace || s.Case.Goodput > 0.95*c.Goodput {
		return lossUnknown // the step did not reach its rate, or it was not a lower one
	}
	// A packet on the path may be many segments, which are lost together.
	want := was.share() * now.sent
	group := max(1, c.Merged(), s.Case.Merged())
	switch {
	case now.lost == 0 && math.Pow(1-was.share(), now.sent/group) < 0.01:
		return lossGone // chance would have hit some of them
	case want/group < 10:
		return lossUnknown
	}
	switch r := now.lost / want; {
	case r <= 0.2:
		return lossGone
	case r >= 0.5 && r <= 2:
		return lossStays
	}
	return lossUnclear
}

// lossEvidence has the losses at both rates.
func lossEvidence(c *judge.Case, s *judge.Step) record.Evidence {
	was, _ := lossesOf(c)
	now, _ := lossesOf(s.Case)
	return record.Evidence{Host: c.Sender.Host, Source: "experiment " + s.Experiment.ID, Counter: "lost",
		Before: new(was.share()), After: new(now.share()), Unit: "share",
		Text: fmt.Sprintf("at %s %s of what was sent was lost (%.0f of %.0f), paced to %s %s (%.0f of %.0f)",
			judge.Rate(c.Goodput), unit.Percent(was.share()), was.lost, was.sent, judge.Rate(s.Case.Goodput),
			unit.Percent(now.share()), now.lost, now.sent)}
}
