package doctor

import (
	"fmt"
	"strings"
	"time"

	"linerate/internal/facts"
)

// coarse is the resolution from which on a clock makes figures unreliable: latencies of fast networks are microseconds.
const coarse = time.Microsecond

var topicClock = Topic{
	ID: "clock", Why: "each latency is two readings of it",
	host: func(g *Gathered, h *Host) []Line {
		if h.Needs == nil || h.Needs.Clock == (facts.Clock{}) {
			return []Line{notKnown("the clock was not measured")}
		}
		c := h.Needs.Clock
		source := ""
		if h.Needs.ClockSource != "" {
			source = h.Needs.ClockSource + ", "
		}
		text := fmt.Sprintf("%ssteps of %s, a reading costs %s, a sleep of 1 ms ends up to %s late (99 %%)", source,
			short(c.Resolution), short(c.Cost), short(c.Overshoot))
		if c.Resolution > coarse.Seconds() || c.Cost > coarse.Seconds() || c.Resolution == 0 {
			l := warning("%s: latencies of microseconds cannot be measured with it", text)
			if h.traits().Proc {
				l = l.do("cat /sys/devices/system/clocksource/clocksource0/available_clocksource   # if tsc is among them:",
					h.root("sh -c 'echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource'"))
			}
			return []Line{l}
		}
		return []Line{ok("%s", text)}
	},
}

// short formats a time in seconds, with its unit.
func short(s float64) string {
	switch {
	case s < 1e-6:
		return fmt.Sprintf("%.0f ns", s*1e9)
	case s < 1e-3:
		return fmt.Sprintf("%.3g us", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	}
	if s >= 100 {
		return time.Duration(s * float64(time.Second)).Round(time.Second).String()
	}
	return fmt.Sprintf("%.3g s", s)
}

// wrongDate is the deviation from which on a host's dates mislead readers of its snapshots and logs.
const wrongDate = 2 * time.Second

var topicDate = Topic{
	ID: "date", Why: "snapshots and logs of several hosts are read side by side by their dates",
	host: func(g *Gathered, h *Host) []Line {
		switch ahead := h.Ahead.Abs(); {
		case h.Here:
			return nil
		case h.Within == 0:
			return []Line{notKnown("the host did not say what time it has")}
		case ahead > wrongDate+h.Within:
			word := "ahead of"
			if h.Ahead < 0 {
				word = "behind"
			}
			l := warning("its calendar clock is %s %s this machine's: its snapshots and logs have other dates than their "+
				"neighbours; figures do not suffer", short(ahead.Seconds()), word)
			switch t := h.traits(); {
			case t.AsRoot:
				return []Line{l.do(h.root(t.SyncClock))}
			case t.SyncClock != "":
				return []Line{l.do(t.SyncClock)}
			}

			return []Line{l}
		}
		return []Line{ok("its calendar clock agrees with this machine's within %s",
			short((h.Ahead.Abs() + h.Within).Seconds()))}
	},
}

// address returns the host's address for ping.
func (h *Host) address() string {
	words := strings.Fields(h.Connection)
	if len(words) == 0 {
		return h.Name
	}
	last := words[len(words)-1]
	if _, at, ok := strings.Cut(last, "@"); ok {
		return at
	}
	return last
}
