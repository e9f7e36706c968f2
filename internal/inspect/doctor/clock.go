package doctor

import (
	"fmt"
	"time"

	"linerate/internal/facts"
)

// coarse is from where on a clock spoils figures: latencies of fast networks are microseconds.
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
		text := fmt.Sprintf("%ssteps of %s, a reading costs %s, a sleep of 1 ms ends up to %s late (99 %%)", source, short(c.Resolution), short(c.Cost), short(c.Overshoot))
		if c.Resolution > coarse.Seconds() || c.Cost > coarse.Seconds() || c.Resolution == 0 {
			l := warning("%s: latencies of microseconds cannot be told with it", text)
			if h.OS == "linux" {
				l = l.do("cat /sys/devices/system/clocksource/clocksource0/available_clocksource   # if tsc is among them:",
					h.root("sh -c 'echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource'"))
			}
			return []Line{l}
		}
		return []Line{ok("%s", text)}
	},
}

// short is a time in seconds, with its unit.
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
