package rdma

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
)

// Alignment is the cause where requests whose size is not a multiple of the NIC's fetch size reach a fraction of the
// goodput of requests a few bytes larger or smaller. The same experiment with such a size proves it.
var Alignment = judge.Cause{
	ID: "rdma-alignment", Title: "the size of requests, which are not aligned", Applies: judge.RDMA,
	Test: func(c *judge.Case) *judge.Match {
		size := RequestSize(c)
		if size <= 0 || size%judge.CacheLine == 0 || c.Share() >= judge.AtCeiling {
			return nil
		}
		var best *judge.Step
		for _, s := range c.StepsBy("size") {
			other := RequestSize(s.Case)
			if other%judge.CacheLine != 0 || math.Abs(float64(other-size)) > judge.SameSizeShare*float64(size) {
				continue
			}
			if best == nil || s.Ratio(c) > best.Ratio(c) {
				best = s
			}
		}
		if best == nil || best.Ratio(c) < judge.DecisiveFactor {
			return nil
		}
		other := RequestSize(best.Case)
		m := c.Candidate("the size of the requests", "is held back by the size of its requests: with %d bytes in place of "+
			"%d it carries %s in place of %s.", other, size, judge.Rate(best.Case.Goodput), judge.Rate(c.Goodput))
		m.Add(judge.Reading(c.Sender.Host, "the experiment", "size", float64(size), "bytes", "%d bytes are not "+
			"multiple of %d",
			size, judge.CacheLine), best.Evidence(c))
		m.Strength = judge.Proved
		m.Fix = c.With("size", fmt.Sprintf("%dB", other)) + "\nthe program that is measured for: requests of a multiple of " +
			"64 bytes, at addresses that are one, too"
		m.Undo = c.With("size", fmt.Sprintf("%dB", size))
		m.NextCeiling = best.Case.NextCeiling("")
		return m
	},
}

// RequestSize returns the size of the experiment's requests, in bytes; 0: not known.
func RequestSize(c *judge.Case) unit.Bytes {
	size, err := unit.ParseBytes(c.Exp.Settings["size"])
	if err != nil {
		return 0
	}
	return size
}
