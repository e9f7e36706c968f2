package doctor

import (
	"time"

	"linerate/internal/facts"
)

// deep is a wake-up that is told: a question over a fast network is answered in some tens of microseconds, and waits as long again for a processor this slow.
const deep = 50 * time.Microsecond

var topicIdle = Topic{
	ID: "idle", Why: "a processor that sleeps deeply answers a single question late",
	host: func(g *Gathered, h *Host) []Line {
		switch {
		case h.OS != "linux":
			return nil
		case h.Needs == nil || h.Needs.Idle == nil:
			return []Line{notKnown("the system shows no states of idling: a virtual machine's processors sleep as the machine below it lets them")}
		}
		var deepest facts.Sleep
		for _, s := range h.Needs.Idle {
			if s.Latency >= deepest.Latency {
				deepest = s
			}
		}
		if deepest.Latency > deep {
			return []Line{warning("processors sleep as deep as %s, which they leave after %s: single questions and answers wait for it, streams do not", deepest.Name, short(deepest.Latency.Seconds())).
				do(h.root("cpupower idle-set -D 10") + "   # and back: " + h.root("cpupower idle-set -E"))}
		}
		return []Line{ok("processors sleep no deeper than %s, which they leave after %s", deepest.Name, short(deepest.Latency.Seconds()))}
	},
}
