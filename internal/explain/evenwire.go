package explain

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// evenOnWire is the rate, in bits per second with headers, at which the receiver's interface got bytes between the captures under load, if it was the same each
// time, within 4 %: the bytes that a program gets come in jumps where some of them are sent again, those of the wire do not.
func (c *Case) evenOnWire() (level float64, e record.Evidence, ok bool) {
	side := c.Receiver
	if side.Port == nil || len(side.Shots.During) < 3 {
		return 0, e, false
	}
	low, high, times := math.Inf(1), 0.0, 0
	for i, b := range side.Shots.During[1:] {
		g, why := side.Shots.growthOf(side.Port.Interface, "rx_bytes", side.Shots.During[i], b)
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
	return level, record.Evidence{Host: side.Host, Source: "ip -s link", Counter: "rx_bytes", After: ptr(level), Unit: "bit/s",
		Text: fmt.Sprintf("%s got %s each time that it was looked at, within %s", side.Port.Interface, rate(level), unit.Percent(high/low-1))}, true
}
