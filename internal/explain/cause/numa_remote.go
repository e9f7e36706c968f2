package cause

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/base/unit"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
)

// numaRemote is the cause where the NIC of an end is on one NUMA node, and its interrupts, or the threads that move the
// data, are on another one, where a core is full while the NIC's own node has time. No snapshot has the cost of the
// path between the nodes. The full core is the bottleneck, and it is on the wrong node.
var numaRemote = judge.Cause{
	ID: "numa-remote", Title: "work for a NIC on another NUMA node than the NIC's",
	Plain: "The NIC is plugged in at one half of the machine, and the other half does its work: that half is full, and " +
		"the near one has time.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		if c.Ceiling <= 0 || c.Share() >= judge.AtCeiling {
			return nil
		}
		var best *judge.Match
		for _, s := range []judge.Side{c.Receiver, c.Sender} {
			if m := remote(c, s); m != nil && (best == nil || m.Strength > best.Strength) {
				best = m
			}
		}
		return best
	},
}

func remote(c *judge.Case, s judge.Side) *judge.Match {
	nic := s.NIC()
	if nic == nil {
		return nil
	}
	device := s.Shots.After.PCIAt(nic.PCI)
	if device == nil || device.NUMA.Or(-1) < 0 {
		return nil
	}
	own := device.NUMA.Or(-1)
	node := nodesOf(s.Shots.After)
	if !slices.ContainsFunc(s.Shots.After.NUMA, func(n facts.NUMANode) bool { return n.Node == own && len(n.CPUs) > 0 }) {
		return nil
	}
	m := &judge.Match{
		Strength: judge.Candidate, Component: fmt.Sprintf("%s: node %d", s.Host, own), NextCeiling: c.NextCeiling(""),
		Fix:  fmt.Sprintf("run the program on the NIC's node: numactl --cpunodebind=%d --membind=%d COMMAND", own, own),
		Undo: "start it as before",
	}
	where := ""
	if f := c.State("numa-remote", s, nic.Name); f != nil {
		where = "its interrupts"
		m.FromCheck(s.Host, f)
		m.Add(judge.FindingEvidence(f, "interrupts")...)
	}
	if threads, all := threadsOff(c, s, own, node); threads > 0 && threads == all {
		where = unit.If(where == "", "the threads that moved the data", where+" and the threads that moved the data")
		m.Add(judge.Reading(s.Host, "/proc/self/task", "threads", float64(threads), "threads", "all %d threads that moved "+
			"the data ran on other nodes than node %d, where %s (%s) is", threads, own, nic.Name, nic.PCI))
	}
	if where == "" {
		return nil
	}
	m.Sentence = fmt.Sprintf("%s is held back by %s: %s is on node %d, and %s were on another one, where a core is full.",
		c.Subject(), s.Host, nic.Name, own, where)
	busiest, idle := judge.CoreUse{}, 0
	for _, u := range c.CoreUses(s) {
		at, known := node[u.Core]
		switch {
		case !known:
			return m
		case at == own && u.Busy < judge.CoreFree:
			idle++
		case at == own && u.Busy >= judge.CoreFull:
			return m // the NIC's own node is full, too
		case at != own && u.Busy > busiest.Busy:
			busiest = u
		}
	}
	if busiest.Busy < judge.CoreFull || idle == 0 {
		return m
	}
	m.Likely(busiest.Evidence(s.Host, fmt.Sprintf("; it is on node %d, while %d cores of the NIC's node %d had time left",
		node[busiest.Core], idle, own)))
	return m
}

// nodesOf returns the node of each CPU.
func nodesOf(f *facts.Facts) map[int]int {
	out := map[int]int{}
	for _, n := range f.NUMA {
		for _, cpu := range n.CPUs {
			out[cpu] = n.Node
		}
	}
	return out
}

// threadsOff counts the busy measuring threads of an end, and those of them that ran on other nodes than own.
func threadsOff(c *judge.Case, s judge.Side, own int, node map[int]int) (off, all int) {
	if c.Repeat == nil {
		return 0, 0
	}
	for _, u := range c.Repeat.CPU {
		if u.Core >= 0 {
			continue
		}
		for _, t := range u.Threads {
			at, known := node[t.Core]
			if t.Kind != "own" || cmp.Or(t.Host, u.Host) != s.Host || t.User+t.System < 0.01 {
				continue
			}
			if all++; known && at != own {
				off++
			}
		}
	}
	return off, all
}
