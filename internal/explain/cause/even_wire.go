package cause

import (
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// evenOnWire returns the rate of the receiver's interface between the snapshots under load, in bits per second with
// headers, if it was the same each time within 4 %. Retransmits make the bytes of a program arrive in jumps, but not
// those on the wire.
func evenOnWire(c *judge.Case) (level float64, e record.Evidence, ok bool) {
	side := c.Receiver
	if side.Port == nil || len(side.Shots.During) < 3 {
		return 0, e, false
	}
	low, high, times := math.Inf(1), 0.0, 0
	for i, b := range side.Shots.During[1:] {
		g, why := side.Shots.GrowthOf(side.Port.Interface, "rx_bytes", side.Shots.During[i], b)
		if why != "" || g.Seconds < 0.1 {
			return 0, e, false
		}
		v := g.Gross * 8 / g.Seconds
		low, high, level, times = min(low, v), max(high, v), level+v, times+1
	}
	level /= float64(times)
	if low <= 0 || high > 1.04*low {
		return 0, e, false
	}
	return level, judge.Reading(side.Host, "ip -s link", "rx_bytes", level, "bit/s", "%s got %s each time that it "+
		"was looked at, within %s", side.Port.Interface, judge.Rate(level), unit.Percent(high/low-1)), true
}
