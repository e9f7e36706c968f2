package explain

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// numaRemote: the card of an end is on one NUMA node, and its interrupts, or the threads that move the data, are on another one, where a core is
// full while the card's own node has time. How much the way between the nodes costs is not in any capture: the full core is what binds, and
// it is on the wrong side.
var numaRemote = Cause{
	ID: "numa-remote", Title: "work for a card on another NUMA node than the card's",
	Test: func(c *Case) *Match {
		if c.Ceiling <= 0 || c.Share() >= atCeiling {
			return nil
		}
		var best *Match
		for _, s := range []Side{c.Receiver, c.Sender} {
			if m := c.remote(s); m != nil && (best == nil || m.Strength > best.Strength) {
				best = m
			}
		}
		return best
	},
}

func (c *Case) remote(s Side) *Match {
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
	m := &Match{
		Strength: Candidate, Component: fmt.Sprintf("%s: node %d", s.Host, own), NextCeiling: c.nextCeiling(""),
		Fix:  fmt.Sprintf("run the program on the card's node: numactl --cpunodebind=%d --membind=%d COMMAND", own, own),
		Undo: "start it as before",
	}
	where := ""
	if f := c.state("numa-remote", s, nic.Name); f != nil {
		where = "its interrupts"
		m.Fix, m.Undo = fromCheck(s.Host, f.Fix), fromCheck(s.Host, f.Undo)
		m.Evidence = append(m.Evidence, said(f, "interrupts")...)
	}
	if threads, all := c.threadsOff(s, own, node); threads > 0 && threads == all {
		where = map[bool]string{true: "the threads that moved the data", false: where + " and the threads that moved the data"}[where == ""]
		m.Evidence = append(m.Evidence, record.Evidence{Host: s.Host, Source: "/proc/self/task", Counter: "threads", After: ptr(float64(threads)), Unit: "threads",
			Text: fmt.Sprintf("all %d threads that moved the data ran on other nodes than node %d, where %s (%s) is", threads, own, nic.Name, nic.PCI)})
	}
	if where == "" {
		return nil
	}
	m.Sentence = fmt.Sprintf("%s is held back by %s: %s is on node %d, and %s were on another one, where a core is full.", c.subject(), s.Host, nic.Name, own, where)
	busiest, idle := coreUse{}, 0
	for _, u := range c.coreUses(s) {
		at, known := node[u.Core]
		switch {
		case !known:
			return m
		case at == own && u.Busy < free:
			idle++
		case at == own && u.Busy >= full:
			return m // the card's own node is full, too
		case at != own && u.Busy > busiest.Busy:
			busiest = u
		}
	}
	if busiest.Busy < full || idle == 0 {
		return m
	}
	m.Strength = Likely
	m.Evidence = append(m.Evidence, busiest.evidence(s.Host, fmt.Sprintf("; it is on node %d, while %d cores of the card's node %d had time left", node[busiest.Core], idle, own)))
	return m
}

// nodesOf is the node of each processor.
func nodesOf(f *facts.Facts) map[int]int {
	out := map[int]int{}
	for _, n := range f.NUMA {
		for _, cpu := range n.CPUs {
			out[cpu] = n.Node
		}
	}
	return out
}

// threadsOff counts the measuring threads of an end that did something, and those of them that ran on other nodes than one.
func (c *Case) threadsOff(s Side, own int, node map[int]int) (off, all int) {
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
