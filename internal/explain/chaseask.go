package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// asking is one situation in which another experiment tells what is left of a verdict apart.
type asking struct {
	// change is what that experiment has otherwise; nil: the situation is another one.
	change func(*Case) map[string]string
	// why says what its outcomes mean.
	why string
}

// asks in their order: what tells most first. The first whose change was not tried is the next experiment of a verdict without a cause.
var asks = []asking{
	{askMemory, "if memory carries more, the drive or the file holds it back; if not, what comes after it"},
	{askMTU, "if small packets get through, the large ones are lost on the way; if not, their size is not what matters"},
	{askHalf, "if nothing is lost at half the rate, something drops what comes too fast; if as large a part is, packets are lost by chance"},
	{askNearly, "half the rate left open whether losses come with the rate: close to it they do, or do not"},
	{askStreams, "if the number of streams makes no difference, all share what holds them back; if it does, each connection has its own limit"},
	{askCore, "if other cores carry more, it was the cores; if not, it is elsewhere"},
	{askDirection, "if the other direction is full, cable and cards are not what limits; if it is the same, both ways share the limit"},
}

// ask is the experiment that would say more; nil: none of the table would.
func (c *Case) ask() *record.Next {
	if c.Exp.Pattern != "" || c.Exp.Method != "stream" || c.Exp.Direction != "out" && c.Exp.Direction != "in" || c.Goodput <= 0 {
		return nil
	}
	for _, a := range asks {
		if change := a.change(c); change != nil && !c.tried(change) {
			return &record.Next{Change: change, Why: a.why}
		}
	}
	return nil
}

func askMemory(c *Case) map[string]string {
	if c.Exp.Settings["source"] == "" {
		return nil
	}
	return map[string]string{"source": ""}
}

// jumbo is from which MTU on a path may have a hop that is smaller.
const jumbo = 1501

// starved is the share of its ceiling below which a path carries next to nothing.
const starvedShare = 0.05

func askMTU(c *Case) map[string]string {
	mtu, err := strconv.Atoi(c.Exp.InEffect["mtu"])
	if err != nil || mtu < jumbo || !c.Lab || c.Share() >= starvedShare {
		return nil // only a lab sets an MTU for the time of an experiment
	}
	return map[string]string{"mtu": "1500"}
}

func askHalf(c *Case) map[string]string { return c.askPace(0.5) }

func askNearly(c *Case) map[string]string {
	if s := c.by("pace"); s == nil || c.lossAt(s) != lossUnclear {
		return nil
	}
	return c.askPace(0.8)
}

// askPace asks for a share of the goodput, where packets are lost that nobody counts.
func (c *Case) askPace(share float64) map[string]string {
	// What TCP gets is no rate that anybody chose; datagrams come as fast as they are asked to.
	if c.Exp.Settings["pace"] != "" && !c.overUDP() || c.Exp.Settings["amount"] != "" || !c.lossy() {
		return nil
	}
	v := share * c.Goodput / float64(streamsOf(c.Exp))
	if v < 1e5 {
		return nil
	}
	return map[string]string{"pace": strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", v/1e6), "0"), ".") + "M"}
}

func askStreams(c *Case) map[string]string {
	if c.overUDP() {
		return nil
	}
	if streamsOf(c.Exp) > 1 {
		if streamsOf(c.Exp) < fewerStreams {
			return map[string]string{"streams": fmt.Sprint(fewerStreams * streamsOf(c.Exp))}
		}
		return map[string]string{"streams": "1"}
	}
	return map[string]string{"streams": "8"}
}

// busyCore is the share of a core from which on it is worth while to try another.
const busyCore = 0.7

func askCore(c *Case) map[string]string {
	if c.overUDP() || c.Exp.Settings["placement"] != "" || streamsOf(c.Exp) > 1 {
		return nil
	}
	var at [2]string
	worth := false
	for i, end := range c.Exp.Ends {
		if i > 1 {
			return nil
		}
		core, share, ok := c.busiestCore(end.Host)
		other := -1
		if ok {
			other = c.idlestCore(end.Host)
		}
		if other < 0 || other == core {
			return nil
		}
		worth = worth || share >= busyCore
		at[i] = fmt.Sprint(other)
	}
	if !worth {
		return nil
	}
	return map[string]string{"placement": at[0] + "/" + at[1]}
}

// idlestCore is the core of a host that did least; -1: not known.
func (c *Case) idlestCore(host string) int {
	best, least := -1, 2.0
	for _, u := range c.Repeat.CPU {
		if used := u.Busy() + u.Steal; u.Host == host && u.Core >= 0 && used < least {
			best, least = u.Core, used
		}
	}
	return best
}

func askDirection(c *Case) map[string]string {
	return map[string]string{"direction": map[string]string{"out": "in", "in": "out"}[c.Exp.Direction]}
}

// loss is what a sender lost in the steady windows of all repeats.
type loss struct{ lost, sent float64 }

func (l loss) share() float64 { return l.lost / l.sent }

// losses of an experiment; ok is false if they are not known.
func (c *Case) losses() (l loss, ok bool) {
	if c.overUDP() {
		u := c.Exp.UDP
		if u == nil || u.Lost == nil || u.Datagrams == nil || *u.Datagrams <= 0 || *u.Lost < 0 {
			return l, false
		}
		return loss{float64(*u.Lost), float64(*u.Datagrams)}, true
	}
	again, ok0 := c.overRepeats(func(s *record.Socket) *int64 { return s.Retrans })
	sent, ok1 := c.overRepeats(func(s *record.Socket) *int64 { return s.SegsOut })
	if !ok0 || !ok1 || sent <= 0 || again < 0 {
		return l, false
	}
	if had, ok := c.overRepeats(func(s *record.Socket) *int64 { return s.DSACKDups }); ok && had > 0 {
		again -= min(had, again)
	}
	return loss{again, sent}, true
}

// tellingLosses is from how many lost packets on a share of them means something.
const tellingLosses = 20

// lossy says whether a part of what is sent is lost that is large enough to hold TCP back, and no counter of either end has it.
func (c *Case) lossy() bool {
	l, ok := c.losses()
	return ok && l.lost >= tellingLosses && l.share() >= 1e-4 && c.uncounted()
}

// uncounted says whether no counter of drops, at either end or on a switch that was read, moved by as much as a tenth of what was lost. An
// end that is not known is a reason to say no; of a switch nobody may know anything.
func (c *Case) uncounted() bool {
	l, ok := c.losses()
	_, unknown := c.droppedAt(c.Sender, atSender)
	_, more := c.droppedAt(c.Receiver, atReceiver)
	if !ok || len(unknown)+len(more) > 0 || c.silentRules() > 0 {
		return false
	}
	list, _ := c.dropped()
	total := 0.0
	if c.overUDP() {
		for _, r := range c.Exp.Repeats {
			for _, s := range r.Streams {
				if s.Direction != c.direction {
					continue
				}
				if s.Drops == nil {
					return false
				}
				total += droppedDatagrams(s)
			}
		}
	}
	for _, d := range list {
		if d.Twice == "" {
			total += d.Count * c.merged()
		}
	}
	return total < 0.1*l.lost
}

// How losses go with the rate.
const (
	lossUnknown = iota
	lossGone    // with the rate
	lossStays
	lossUnclear
)

// lossAt says what became of the losses in a step that was paced.
func (c *Case) lossAt(s *step) int {
	was, ok0 := c.losses()
	now, ok1 := s.c.losses()
	pace := s.c.askedPace(s.change["pace"])
	if !ok0 || !ok1 || pace == nil || s.c.Goodput < 0.8**pace || s.c.Goodput > 0.95*c.Goodput {
		return lossUnknown // it did not keep its rate, or that was none below
	}
	// A packet on the way may be many segments, which are lost together.
	want := was.share() * now.sent
	group := max(1, c.merged(), s.c.merged())
	switch {
	case now.lost == 0 && math.Pow(1-was.share(), now.sent/group) < 0.01:
		return lossGone // chance would not have spared all of them
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

// lossEvidence is the losses of both, in figures.
func (c *Case) lossEvidence(s *step) record.Evidence {
	was, _ := c.losses()
	now, _ := s.c.losses()
	return record.Evidence{Host: c.Sender.Host, Source: "experiment " + s.exp.ID, Counter: "lost", Before: ptr(was.share()), After: ptr(now.share()), Unit: "share",
		Text: fmt.Sprintf("at %s %s of what was sent was lost (%.0f of %.0f), paced to %s %s (%.0f of %.0f)",
			rate(c.Goodput), unit.Percent(was.share()), was.lost, was.sent, rate(s.c.Goodput), unit.Percent(now.share()), now.lost, now.sent)}
}
