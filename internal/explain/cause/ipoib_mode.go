package cause

import (
	"linerate/internal/base/unit"
	"linerate/internal/explain/cause/rdma"
	"linerate/internal/explain/judge"
)

// ipoibMode is the cause where IP over InfiniBand in datagram mode has packets of 2044 or 4092 bytes, so that packets
// fill the CPUs long before the link is full.
var ipoibMode = judge.Cause{
	ID: "ipoib-mode", Title: "IP over InfiniBand in datagram mode", Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		if c.Share() >= judge.AtCeiling {
			return nil
		}
		for _, side := range []judge.Side{c.Receiver, c.Sender} {
			nic := side.NIC()
			if nic == nil || nic.IPoIB.Or("") != "datagram" {
				continue
			}
			f := c.State("ipoib-mode", side, nic.Name)
			if f == nil {
				continue
			}
			m := c.Candidate(side.Host+": "+nic.Name, "is held back by the small packets of IP over InfiniBand. %s of %s "+
				"is in datagram mode, where a packet has %d bytes, and the CPUs are full of packets.", nic.Name, side.Host,
				nic.MTU)
			m.FromCheck(side.Host, f)
			for _, e := range f.Evidence {
				m.Add(judge.Reading(e.Host, e.Source, "mode", float64(nic.MTU), "bytes", "mode %s, MTU %v", e.Line,
					unit.Bytes(nic.MTU)))
			}
			if b := cpuBound(c); b != nil {
				m.Likely(b.evidence)
			}
			m.Next = rdma.SameByRDMA(c)
			return m
		}
		return nil
	},
}
