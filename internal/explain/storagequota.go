package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// storageQuota: the control group of the process that asks, or of the one that gives storage out, has used its quota and waits for the next period.
var storageQuota = storageCause{
	ID: "cpu-quota", Title: "a quota of processor time",
	Test: func(c *storageCase) *Match {
		for _, h := range c.b.Hosts {
			side := Side{Host: h.Host, Shots: c.shots(h.Host)}
			group, cores, share, throttled, line := side.throttled()
			if share < waitsForQuota {
				continue
			}
			m := &Match{Strength: Candidate, Component: h.Host + ": processor quota of " + group,
				Sentence: fmt.Sprintf("%s is held back by %s: its control group may use %s of a processor core, and waits in %s of the periods.", c.what, h.Host, unit.Percent(cores), unit.Percent(share)),
				Evidence: []record.Evidence{{Host: h.Host, Source: group + "/cpu.stat", Counter: "nr_throttled", After: ptr(throttled), Unit: "periods", Text: fmt.Sprintf("nr_throttled grew by %.0f, %s of the periods (%s)", throttled, unit.Percent(share), line)}},
				Fix:      quotaOwner}
			if h.Own != nil && *h.Own >= cores/2 {
				m.Strength = Likely
				m.Evidence = append(m.Evidence, record.Evidence{Host: h.Host, Source: "/proc/self/task", Counter: "own", After: h.Own, Unit: "cores", Text: fmt.Sprintf("the measuring process used %s of a core, and its quota is %s", unit.Percent(*h.Own), unit.Percent(cores))})
				if d, near := closes(*h.Own, cores); near {
					m.Strength, m.Identity = Proved, &record.Identity{Left: "used " + unit.Percent(*h.Own) + " of a core", Right: "quota " + unit.Percent(cores), Difference: d}
				}
			}
			return m
		}
		return nil
	},
}
