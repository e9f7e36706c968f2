package rdma

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// Memlock is the cause where the limit of a user's locked memory (RLIMIT_MEMLOCK) is too low for RDMA, which transfers
// from and to locked memory. Above the limit no memory can be registered, and nothing is measured.
var Memlock = judge.Cause{
	ID: "memlock", Title: "memory that may be locked", Applies: judge.RDMA,
	Fails: func(c *judge.Case) *judge.Match {
		for _, side := range []judge.Side{c.Receiver, c.Sender} {
			f := side.Shots.After
			if f == nil {
				continue
			}
			soft, known := f.Memlock.Soft.Get()
			need := lockedMemory(c)
			if !known || soft < 0 || soft >= need || !f.Memlock.Bound.Or(true) {
				continue
			}
			m := c.Candidate(side.Host+": memory that may be locked", "was not measured: its %s need %s of memory that is "+
				"locked, and a process of this user may lock %s on %s.", unit.Counted(Pairs(c), "pair"), need, soft, side.Host)
			m.Add(judge.Reading(side.Host, f.Memlock.Source, "Max locked memory", float64(soft), "bytes",
				"up to %s may be locked, and %s are needed", soft, need))
			m.NextCeiling = "not known"
			if found := c.State("memlock", side, "locked memory"); found != nil {
				m.FromCheck(side.Host, found)
			} else {
				m.Fix, m.Undo = "ulimit -l unlimited, in the shell that starts linerate there; a service: LimitMEMLOCK=infinity",
					judge.NoSettingChanged
			}
			if strings.Contains(c.Exp.Failed, "locked memory is limited") {
				m.Likely(record.Evidence{Host: side.Host, Source: "ibv_reg_mr", Counter: "registered", After: new(0.0),
					Unit: "bytes", Text: "the memory of a pair could not be registered: " + registering(c.Exp.Failed)})
			}
			return m
		}
		return nil
	},
}

// registering returns the program's error about it, without the advice.
func registering(failed string) string {
	_, said, _ := strings.Cut(failed, "cannot be registered: ")
	said, _, _ = strings.Cut(said, ":")
	return said
}

// Pairs returns the number of queue pairs of the experiment.
func Pairs(c *judge.Case) int {
	n := 1
	_, _ = fmt.Sscan(c.Exp.Settings["threads"], &n)
	return max(1, n)
}

// lockedMemory returns the memory that linerate-verbs registers for all pairs: for each the receive buffer, the send
// buffer and a page, in whole pages (rdma/c/open.c).
func lockedMemory(c *judge.Case) unit.Bytes {
	const page, grh = 4096, 40
	size, err := unit.ParseBytes(c.Exp.Settings["size"])
	if err != nil || size <= 0 {
		size = 8
	}
	each := (size + grh + page - 1) / page * page
	return unit.Bytes(Pairs(c)) * (2*each + page)
}
