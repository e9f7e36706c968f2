package explain

import (
	"fmt"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// mostlyMaking is the share of a thread's time from which on making the data is what it does.
const mostlyMaking = 0.5

// sourceGenerator: the threads that write have no time left, and most of it went into making what they write. So it is no figure of the storage.
var sourceGenerator = storageCause{
	ID: "source-generator", Title: "making the data that is written",
	Test: func(c *storageCase) *Match {
		for i, w := range c.b.Workers {
			threads := requestsOf(c.e, i).threads // the calls of one thread that wait make their data one after another
			if w.Making <= 0 || threads < 1 {
				continue
			}
			h := c.host(w.Host)
			made := w.Making / float64(threads) // of each thread's time
			if made < mostlyMaking {
				continue
			}
			m := &Match{Strength: Candidate, Component: "processor of " + w.Host + ": making the data",
				Sentence: fmt.Sprintf("%s is held back by making the data: the %s on %s spent %s of the time on filling blocks, before the storage was asked; it is no figure of the storage.", c.what, plural(threads, "thread"), w.Host, unit.Percent(made)),
				Evidence: []record.Evidence{{Host: w.Host, Source: "clock", Counter: "making", After: ptr(w.Making), Unit: "cores", Text: fmt.Sprintf("%s of the time of each thread went into the data of its blocks", unit.Percent(made))}},
				Fix:      "more threads, each makes its own; without verify, whose checksums are dear",
				Next:     "--threads " + strconv.Itoa(threads*2),
			}
			switch {
			case w.Way == wayThreads && made >= wholeThread: // while one call's block is made no other's is
				m.Strength = Likely
			case h != nil && c.noTimeLeft(h):
				m.Strength = Likely
				m.Evidence = append(m.Evidence, record.Evidence{Host: w.Host, Source: "/proc/self/task", Counter: "own", After: h.Own, Unit: "cores", Text: fmt.Sprintf("the %s had %s cores: none had time left", plural(c.askingOn(w.Host), "thread"), unit.Significant(*h.Own))})
			}
			return m
		}
		return nil
	},
}

// host is what a host did; nil: it is not in the record.
func (c *storageCase) host(name string) *record.BlockHost {
	for i := range c.b.Hosts {
		if c.b.Hosts[i].Host == name {
			return &c.b.Hosts[i]
		}
	}
	return nil
}
