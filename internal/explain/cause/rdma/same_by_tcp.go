package rdma

import (
	"fmt"

	"linerate/internal/explain/judge"
)

// SameByTCP proposes TCP over the same link. TCP needs the kernel and the CPUs, which RDMA does not. What both share
// (NIC, slot, link) limits both. why is what the outcomes mean.
func SameByTCP(c *judge.Case, why string) string {
	return compared(c, "throughput", fmt.Sprintf("--streams %d", Pairs(c)), fmt.Sprintf("streams: %d", Pairs(c))) + "\n" +
		why
}

// SameByRDMA proposes RDMA over the same link; empty: the ends do not both have it.
func SameByRDMA(c *judge.Case) string {
	for _, s := range []judge.Side{c.Sender, c.Receiver} {
		if _, port := rdmaDevice(c, s, s.Shots.After); port == nil || port.State.Or("") != "ACTIVE" {
			return ""
		}
	}
	const how = "op: write, metric: goodput, size: 64KiB, threads: 4"
	return compared(c, "rdma", "--op write --metric goodput --size 64KiB --threads 4", how) +
		"\nif RDMA carries more over the same link, it is the CPUs and the kernel; if it carries the same, what " +
		"both share: NIC, slot, link"
}

// compared returns how to measure with another method between the same ends: a command, where this machine reaches
// them, or else an experiment for the file.
func compared(c *judge.Case, method, flags, keys string) string {
	from, to := c.Connections[c.Exp.From], c.Connections[c.Exp.To]
	if from == "" || to == "" || len(c.Exp.Ends) < 2 || c.Exp.Ends[1].Address == "" {
		return fmt.Sprintf("in the fabric file, an experiment next to this one: {method: %s, from: %s, to: %s, %s}", method,
			c.Exp.From, c.Exp.To, keys)
	}
	s := fmt.Sprintf("linerate measure %s --from %s --to %s --to-address %s --direction %s %s", method, judge.Quote(from),
		judge.Quote(to), c.Exp.Ends[1].Address, c.Exp.Direction, flags)
	if c.Rate != "" {
		s += " --link " + judge.Quote(c.Rate)
	}
	return s
}
