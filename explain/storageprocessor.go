package explain

import (
	"fmt"
	"strconv"

	"linerate/result"
	"linerate/unit"
)

// wholeThread is the share of a core from which on a thread that asks has no time left.
const wholeThread = 0.9

// askingThreads: the threads that ask have no time left.
var askingThreads = storageCause{
	ID: "cpu-per-request", Title: "the threads that ask",
	Test: func(c *storageCase) *Match {
		threads := requestsOf(c.e).threads
		for _, h := range c.b.Hosts {
			if !h.Asks || h.Own == nil || threads < 1 || *h.Own < wholeThread*float64(min(threads, max(h.Of, 1))) {
				continue
			}
			return &Match{Strength: Likely, Component: "processor of " + h.Host,
				Sentence: fmt.Sprintf("%s is held back by the processor that asks: %s on %s had no time left, at %s IOPS.", c.what, plural(threads, "thread"), h.Host, unit.Count(c.e.IOPS.Median)),
				Evidence: []result.Evidence{{Host: h.Host, Source: "/proc/self/task", Counter: "processor time", After: h.Own, Unit: "cores", Text: fmt.Sprintf("the %s that ask had %s cores", plural(threads, "thread"), unit.Significant(*h.Own))}},
				Fix:      "more threads, each has a core of its own, where " + h.Host + " has cores left; larger blocks where bytes count", Next: "--threads " + strconv.Itoa(threads*2)}
		}
		return nil
	},
}

// hostProcessors: all cores of a host are in use.
var hostProcessors = storageCause{
	ID: "cpu-per-request", Title: "the processors of a host",
	Test: func(c *storageCase) *Match {
		for _, h := range c.b.Hosts {
			if h.Cores == nil || h.Of <= 0 || *h.Cores < fullShare*float64(h.Of) {
				continue
			}
			return &Match{Strength: Likely, Component: "processor of " + h.Host,
				Sentence: fmt.Sprintf("%s is held back by the processor of %s: all of its cores were in use, at %s IOPS.", c.what, h.Host, unit.Count(c.e.IOPS.Median)),
				Evidence: []result.Evidence{{Host: h.Host, Source: "/proc/stat", Counter: "cores in use", After: h.Cores, Unit: "cores", Text: fmt.Sprintf("%s of the %s of %s were in use", unit.Significant(*h.Cores), plural(h.Of, "core"), h.Host)}}}
		}
		return nil
	},
}
