package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// slowSource: memory carries more than the file that was asked for.
var slowSource = Cause{
	ID: appLimited.ID, Title: "the file that is sent", Transport: "tcp",
	Test: func(c *Case) *Match {
		s := c.by("source")
		if s == nil || c.Exp.Settings["source"] == "" || s.change["source"] != "" || s.ratio(c) < 1+2*alikeShare {
			return nil
		}
		host := c.Sender.Host
		m := &Match{
			Strength: Candidate, Component: host + ": the file that is sent",
			Sentence:    fmt.Sprintf("%s is held back by the file that is sent: from memory %s sends %s.", c.subject(), host, rate(s.c.Goodput)),
			Evidence:    []record.Evidence{s.evidence(c)},
			Fix:         "a faster drive, or memory that holds the file",
			NextCeiling: c.nextCeiling(""),
		}
		busy, ok := c.sum(false, func(s *record.Socket) *float64 { return s.BusySeconds })
		if n := float64(len(c.Streams)); ok && c.Window > 0 && n > 0 && busy <= 0.9*c.Window*n {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "TCP_INFO", Counter: "busy", After: ptr(busy), Unit: "s",
				Text: fmt.Sprintf("the connections had nothing to send %s of the time", unit.Percent(1-busy/(c.Window*n)))})
		}
		return m
	},
}

// smallerMTU: small packets get through, large ones are lost.
var smallerMTU = Cause{
	ID: "mtu-black-hole", Title: "large packets that vanish", Transport: "tcp",
	Test: func(c *Case) *Match {
		s := c.by("mtu")
		if s == nil || s.ratio(c) < 2*muchMore || c.Share() >= starvedShare {
			return nil
		}
		mtu := c.Exp.InEffect["mtu"]
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("between %s and %s: an MTU below %s", c.Sender.Host, c.Receiver.Host, mtu),
			Sentence:    fmt.Sprintf("%s loses its large packets: something in between takes none of MTU %s, and with %s it carries %s.", c.subject(), mtu, s.change["mtu"], rate(s.c.Goodput)),
			Evidence:    []record.Evidence{s.evidence(c)},
			Fix:         fmt.Sprintf("give every port and switch in between MTU %s, or both ends %s", mtu, s.change["mtu"]),
			NextCeiling: c.nextCeiling(""),
		}
		if l, ok := c.losses(); ok && l.lost > 0 && l.share() >= 0.1 && c.uncounted() {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, record.Evidence{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "retrans", After: ptr(l.lost), Unit: "segments",
				Text: fmt.Sprintf("%.0f of %.0f segments were sent again, and no counter of either end has them", l.lost, l.sent)})
		}
		return m
	},
}

// otherCore: threads on other cores carry more. The cores that were in use were full, or were not theirs alone.
var otherCore = Cause{
	ID: "core", Title: "the cores that the threads ran on", Transport: "tcp",
	Test: func(c *Case) *Match {
		s := c.by("placement")
		if s == nil || s.ratio(c) < 1+3*alikeShare || c.Repeat == nil {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("%s and %s: the cores that the threads ran on", c.Sender.Host, c.Receiver.Host),
			Sentence:    fmt.Sprintf("%s is held back by the cores that its threads ran on: on cores %s it carries %s.", c.subject(), s.change["placement"], rate(s.c.Goodput)),
			Evidence:    []record.Evidence{s.evidence(c)},
			Fix:         c.with("placement", s.change["placement"]) + "\nfor other programs: keep them off the cores that take the card's interrupts (/proc/interrupts), and on the processor that the card is plugged into: taskset -c CORES PROGRAM",
			NextCeiling: c.nextCeiling(""),
		}
		for _, host := range []string{c.Sender.Host, c.Receiver.Host} {
			if core, used, ok := c.busiestCore(host); ok && used >= 0.9 {
				m.Strength = Likely
				m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "/proc/stat", Counter: fmt.Sprintf("cpu%d", core), After: ptr(used), Unit: "share of a core",
					Text: fmt.Sprintf("core %d of %s was %s in use", core, host, unit.Percent(used))})
				break
			}
		}
		return m
	},
}

// chaseCauses need a second experiment. They are asked when nothing else holds, in this order.
var chaseCauses = []Cause{
	slowSource,
	smallerMTU,
	rateDropper,
	queueDropper,
	lossByChance,
	limitOfOne,
	otherCore,
	sharedPath,
}

// narrowed is what the steps say of an experiment that no cause explains, in words; empty: they say nothing.
func (c *Case) narrowed() string {
	if s := c.by("streams"); s != nil {
		switch {
		case streamsOf(s.exp) > streamsOf(c.Exp) && s.c.Share() >= atCeiling && !alikeRates(s.c.Goodput, c.Goodput):
			return fmt.Sprintf("With %s the link is full: it is what fewer connections can do.", plural(streamsOf(s.exp), "stream"))
		case s.perConnection(c) && c.lossy():
			return "More streams carry more: with losses each connection backs off by itself, whatever drops."
		case s.perConnection(c):
			return "The number of streams decides how much is carried: each connection has its own limit."
		case alikeRates(s.c.Goodput, c.Goodput):
			return "The number of streams makes no difference: what holds them back is shared by all."
		}
	}
	if s := c.by("direction"); s != nil {
		other := fmt.Sprintf("%s -> %s", s.c.Sender.Host, s.c.Receiver.Host)
		switch {
		case s.c.Ceiling > 0 && s.c.Share() >= 0.97 && !alikeRates(s.c.Goodput, c.Goodput):
			return fmt.Sprintf("%s is full, over the same cable and cards: it is what %s does to send, what %s does to receive, or something in between that only this direction has.",
				other, c.Sender.Host, c.Receiver.Host)
		case alikeRates(s.c.Goodput, c.Goodput):
			return other + " carries as much: both directions share what holds them back."
		}
	}
	return ""
}
