package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// slowSource is the cause where sending from memory is faster than sending the file.
var slowSource = judge.Cause{
	ID: AppLimited.ID, Title: "the file that is sent", Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		s := c.StepBy("source")
		if s == nil || c.Exp.Settings["source"] == "" || s.Change["source"] != "" || s.Ratio(c) < 1+2*judge.SameGoodputShare {
			return nil
		}
		host := c.Sender.Host
		m := c.Candidate(host+": the file that is sent", "is held back by the file that is sent: from memory %s sends %s.",
			host, judge.Rate(s.Case.Goodput))
		m.Add(s.Evidence(c))
		m.Fix = "a faster drive, or memory that holds the file"
		busy, ok := c.Sum(false, func(s *record.Socket) *float64 { return s.BusySeconds })
		if n := float64(len(c.Streams)); ok && c.Interval > 0 && n > 0 && busy <= 0.9*c.Interval*n {
			m.Likely(judge.Reading(host, "TCP_INFO", "busy", busy, "s", "the connections had nothing to send %s of the time",
				unit.Percent(1-busy/(c.Interval*n))))
		}
		return m
	},
}

// smallerMTU is the cause where small packets arrive and large ones are lost.
var smallerMTU = judge.Cause{
	ID: "mtu-black-hole", Title: "large packets that vanish", Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		s := c.StepBy("mtu")
		if s == nil || s.Ratio(c) < 2*judge.DecisiveFactor || c.Share() >= starvedShare {
			return nil
		}
		mtu := c.Exp.InEffect["mtu"]
		m := c.Candidate(fmt.Sprintf("between %s and %s: an MTU below %s", c.Sender.Host, c.Receiver.Host, mtu),
			"loses its large packets: something in between takes none of MTU %s, and with %s it carries %s.", mtu,
			s.Change["mtu"], judge.Rate(s.Case.Goodput))
		m.Add(s.Evidence(c))
		m.Fix = fmt.Sprintf("give every port and switch in between MTU %s, or both ends %s", mtu, s.Change["mtu"])
		if l, ok := lossesOf(c); ok && l.lost > 0 && l.share() >= 0.1 && uncounted(c) {
			m.Likely(judge.Reading(c.Sender.Host, "TCP_INFO", "retrans", l.lost, "segments", "%.0f of %.0f segments were sent "+
				"again, and no counter of either end has them", l.lost, l.sent))
		}
		return m
	},
}

// otherCore is the cause where threads on other cores carry more. The first cores were full, or shared with other work.
var otherCore = judge.Cause{
	ID: "core", Title: "the cores that the threads ran on",
	Plain: "The part of the CPU that did the work was busy with something else, or far from the NIC. Another " +
		"part does better.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		s := c.StepBy("placement")
		if s == nil || s.Ratio(c) < 1+3*judge.SameGoodputShare || c.Repeat == nil {
			return nil
		}
		m := c.Candidate(fmt.Sprintf("%s and %s: the cores that the threads ran on", c.Sender.Host, c.Receiver.Host),
			"is held back by the cores that its threads ran on: on cores %s it carries %s.", s.Change["placement"],
			judge.Rate(s.Case.Goodput))
		m.Add(s.Evidence(c))
		m.Fix = c.With("placement", s.Change["placement"]) + "\nfor other programs: keep them off the cores that take the " +
			"NIC's interrupts (/proc/interrupts), and on the CPU that the NIC is plugged into: taskset -c CORES PROGRAM"
		for _, host := range []string{c.Sender.Host, c.Receiver.Host} {
			if core, used, ok := c.BusiestCore(host); ok && used >= 0.9 {
				m.Likely(judge.Reading(host, "/proc/stat", fmt.Sprintf("cpu%d", core), used, "share of a core",
					"core %d of %s was %s in use", core, host, unit.Percent(used)))
				break
			}
		}
		return m
	},
}

// narrowed describes what the steps show about an experiment that no cause explains; empty: nothing.
func narrowed(c *judge.Case) string {
	if s := c.StepBy("streams"); s != nil {
		switch {
		case judge.StreamsOf(s.Experiment) > judge.StreamsOf(c.Exp) && s.Case.Share() >= judge.AtCeiling &&
			!judge.SameGoodput(s.Case.Goodput, c.Goodput):
			return fmt.Sprintf("With %s the link is full: it is what fewer connections can do.",
				unit.Counted(judge.StreamsOf(s.Experiment), "stream"))
		case perConnection(s, c) && lossy(c):
			return "More streams carry more: with losses each connection backs off by itself, whatever drops."
		case perConnection(s, c):
			return "The number of streams decides how much is carried: each connection has its own limit."
		case judge.SameGoodput(s.Case.Goodput, c.Goodput):
			return "The number of streams makes no difference: what holds them back is shared by all."
		}
	}
	if s := c.StepBy("direction"); s != nil {
		other := fmt.Sprintf("%s -> %s", s.Case.Sender.Host, s.Case.Receiver.Host)
		switch {
		case s.Case.Ceiling > 0 && s.Case.Share() >= 0.97 && !judge.SameGoodput(s.Case.Goodput, c.Goodput):
			return fmt.Sprintf("%s is full, over the same cable and NICs: it is what %s does to send, what %s does to "+
				"receive, or something in between that only this direction has.",
				other, c.Sender.Host, c.Receiver.Host)
		case judge.SameGoodput(s.Case.Goodput, c.Goodput):
			return other + " carries as much: both directions share what holds them back."
		}
	}
	return ""
}
