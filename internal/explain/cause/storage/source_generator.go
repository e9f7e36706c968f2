package storage

import (
	"fmt"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// mostlyMaking is the share of a thread's time from which on it mostly generates data.
const mostlyMaking = 0.5

// sourceGenerator is the cause where the writing threads have no time left, and spent most of it on generating data.
// The figure is then not one of the storage.
var sourceGenerator = Cause{
	ID: "source-generator", Title: "making the data that is written",
	Plain: "The program that writes is busy with making what it writes. The storage waits for it, and could take more.",
	Test: func(c *Case) *judge.Match {
		for i, w := range c.b.Workers {
			threads := requestsOf(c.e, i).threads // the blocking calls of one thread generate their data one after another
			if w.Making <= 0 || threads < 1 {
				continue
			}
			h := c.host(w.Host)
			made := w.Making / float64(threads) // of each thread's time
			if made < mostlyMaking {
				continue
			}
			m := &judge.Match{Strength: judge.Candidate, Component: "CPU of " + w.Host + ": making the data",
				Sentence: fmt.Sprintf("%s is held back by making the data: the %s on %s spent %s of the time on filling blocks, "+
					"before the storage was asked; it is not a figure of the "+
					"storage.", c.what, unit.Counted(threads, "thread"), w.Host,
					unit.Percent(made)),
				Evidence: []record.Evidence{judge.Reading(w.Host, "clock", "making", w.Making, "cores", "%s of the time of "+
					"each thread went into the data of its blocks", unit.Percent(made))},
				Fix:  "more threads, each makes its own; without verify, whose checksums are dear",
				Next: "--threads " + strconv.Itoa(threads*2),
			}
			switch {
			case w.Way == wayThreads && made >= wholeThread: // one call generates its block at a time
				m.Likely(spare(c.b.Hosts, c.e, c.share)...)
			case h != nil && c.noTimeLeft(h):
				m.Likely(record.Evidence{Host: w.Host, Source: "/proc/self/task", Counter: "own", After: h.Own, Unit: "cores",
					Text: fmt.Sprintf("the %s had %s cores: none had time left", unit.Counted(c.askingOn(w.Host), "thread"),
						unit.Significant(*h.Own))})
			}
			return m
		}
		return nil
	},
}

// host returns the record of a host; nil: there is none.
func (c *Case) host(name string) *record.BlockHost {
	return xslices.At(c.b.Hosts, func(x *record.BlockHost) bool { return x.Host == name })
}
