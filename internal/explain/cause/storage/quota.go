package storage

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// storageQuota is the cause where the control group of the client process, or of the one that exports the storage, has
// used its quota and waits for the next period.
var storageQuota = Cause{
	ID: "cpu-quota", Title: "a quota of CPU time",
	Test: func(c *Case) *judge.Match {
		for _, h := range c.b.Hosts {
			side := judge.Side{Host: h.Host, Shots: c.shots(h.Host)}
			group, cores, share, throttled, line := side.Throttled()
			if share < judge.WaitsForQuota {
				continue
			}
			m := &judge.Match{Strength: judge.Candidate, Component: h.Host + ": CPU quota of " + group,
				Sentence: fmt.Sprintf("%s is held back by %s: its control group may use %s of a CPU core, and waits in %s "+
					"of the periods.", c.what, h.Host, unit.Percent(cores), unit.Percent(share)),
				Evidence: []record.Evidence{judge.Reading(h.Host, group+"/cpu.stat", "nr_throttled", throttled, "periods",
					"nr_throttled grew by %.0f, %s of the periods (%s)", throttled, unit.Percent(share), line)},
				Fix: judge.QuotaOwner}
			if h.Own != nil && *h.Own >= cores/2 {
				m.Likely(record.Evidence{Host: h.Host, Source: "/proc/self/task", Counter: "own", After: h.Own, Unit: "cores",
					Text: fmt.Sprintf("the measuring process used %s of a core, and its quota is %s", unit.Percent(*h.Own),
						unit.Percent(cores))})
				m.Proves(*h.Own, cores, "used "+unit.Percent(*h.Own)+" of a core", "quota "+unit.Percent(cores))
			}
			return m
		}
		return nil
	},
}
