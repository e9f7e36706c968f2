package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// otherTraffic is the cause where the link is full, but of other traffic, too. The identity compares goodput plus the
// other traffic of the interface in the same time with the link's ceiling.
var otherTraffic = judge.Cause{
	ID: "other-traffic", Title: "other traffic on the link",
	Plain:   "The cable is full, but not of this: something else uses it at the same time.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		if c.Ceiling <= 0 {
			return nil
		}
		for _, at := range []struct {
			side         judge.Side
			counter, way string
		}{{c.Receiver, "rx", "to"}, {c.Sender, "tx", "from"}} {
			all, idle, seconds, ok := c.Passed(at.side, at.counter)
			if !ok || len(c.Exp.Repeats) == 0 {
				continue
			}
			ours, steady := c.Most(seconds)
			other := all - ours
			if other < 0.1*all || all < 0.8*c.Ceiling {
				continue // within the uncertainty of headers and of the interval's ends, or the link is not full
			}
			nic := at.side.Port.Interface
			m := c.Candidate(fmt.Sprintf("%s: %s", at.side.Host, nic), "shares its link with other traffic: %s more went %s "+
				"%s at the same time.", judge.Rate(other), at.way, at.side.Host)
			m.Add(judge.Reading(at.side.Host, "counters of "+nic, "payload", all, "bit/s", "%s of payload passed %s in %s "+
				"of the steady interval, and %s of it were "+
				"measured", judge.Rate(all), nic, unit.Seconds(seconds), judge.Rate(ours)))
			m.Fix = fmt.Sprintf("find who else uses the link (on %s: ss -tunp shows its own connections, tcpdump -ni %s those "+
				"of others), and measure again when it is free", at.side.Host, nic)
			m.Undo = judge.NoSettingChanged
			if d, near := judge.Matches(all, c.Ceiling); near && steady {
				m.Strength = judge.Proved
				m.Identity = &record.Identity{Left: fmt.Sprintf("measured %s + other %s = %s", judge.Rate(ours), judge.Rate(other),
					judge.Rate(all)), Right: "ceiling " + judge.Rate(c.Ceiling), Difference: d}
			}
			if idle > 0.05*all {
				m.Add(judge.Reading(at.side.Host, "counters of "+nic, "payload without load", idle, "bit/s",
					"%s pass %s also while nothing is measured", judge.Rate(idle), nic))
			}
			return m
		}
		return nil
	},
}
