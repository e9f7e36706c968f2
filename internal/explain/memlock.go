package explain

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// memlock: RDMA keeps what it transfers in memory that may not move, and how much of that a user may have is limited (RLIMIT_MEMLOCK).
// Above the limit no memory can be registered, and nothing is measured.
var memlock = Cause{
	ID: "memlock", Title: "memory that may be locked", Transport: "rdma",
	Fails: func(c *Case) *Match {
		for _, side := range []Side{c.Receiver, c.Sender} {
			f := side.Shots.After
			if f == nil {
				continue
			}
			soft, known := f.Memlock.Soft.Get()
			need := c.lockedMemory()
			if !known || soft < 0 || soft >= need || !f.Memlock.Bound.Or(true) {
				continue
			}
			m := &Match{
				Strength: Candidate, Component: side.Host + ": memory that may be locked",
				Sentence: fmt.Sprintf("%s was not measured: its %s need %s of memory that is locked, and a process of this user may lock %s on %s.",
					c.subject(), plural(c.pairs(), "pair"), need, soft, side.Host),
				Evidence: []record.Evidence{{Host: side.Host, Source: f.Memlock.Source, Counter: "Max locked memory", After: ptr(float64(soft)), Unit: "bytes",
					Text: fmt.Sprintf("up to %s may be locked, and %s are needed", soft, need)}},
				NextCeiling: "not known",
			}
			if found := c.state("memlock", side, "locked memory"); found != nil {
				m.Fix, m.Undo = fromCheck(side.Host, found.Fix), fromCheck(side.Host, found.Undo)
			} else {
				m.Fix, m.Undo = "ulimit -l unlimited, in the shell that starts linerate there; a service: LimitMEMLOCK=infinity", nothingSet
			}
			if strings.Contains(c.Exp.Failed, "locked memory is limited") {
				m.Strength = Likely
				m.Evidence = append(m.Evidence, record.Evidence{Host: side.Host, Source: "ibv_reg_mr", Counter: "registered", After: ptr(0), Unit: "bytes", Text: "the memory of a pair could not be registered: " + registering(c.Exp.Failed)})
			}
			return m
		}
		return nil
	},
}

// registering is what the program said of it, without the advice.
func registering(failed string) string {
	_, said, _ := strings.Cut(failed, "cannot be registered: ")
	said, _, _ = strings.Cut(said, ":")
	return said
}

// pairs of the experiment.
func (c *Case) pairs() int {
	n := 1
	_, _ = fmt.Sscan(c.Exp.Settings["pairs"], &n)
	return max(1, n)
}

// lockedMemory is what linerate-verbs registers for all pairs: of each what arrives, what leaves and a page, in whole pages (rdma/c/open.c).
func (c *Case) lockedMemory() unit.Bytes {
	const page, grh = 4096, 40
	size, err := unit.ParseBytes(c.Exp.Settings["size"])
	if err != nil || size <= 0 {
		size = 8
	}
	each := (size + grh + page - 1) / page * page
	return unit.Bytes(c.pairs()) * (2*each + page)
}
