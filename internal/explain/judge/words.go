package judge

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Subject names the traffic in sentences: "nas -> desktop with 8 streams".
func (c *Case) Subject() string {
	s := record.Path(c.Exp.Pattern, c.Sender.Host, c.Receiver.Host, false)
	switch n := c.Exp.Settings["streams"]; n {
	case "", "1":
		return s
	default:
		return fmt.Sprintf("%s with %s streams", s, n)
	}
}

// NextCeiling describes the lowest hop without those of one kind.
func (c *Case) NextCeiling(without string) string {
	best, name := unit.BitRate(0), ""
	if c.Chain == nil {
		return "not known"
	}
	for _, h := range c.Chain.Hops {
		r, ok := h.Rate.Get()
		if !ok || h.Kind == without {
			continue
		}
		if name == "" || r < best*0.999 || r <= best*1.001 && h.Kind == "cable" {
			best, name = r, h.Component
		}
	}
	if name == "" {
		return "not known"
	}
	if c.Exp.Direction == "both" {
		best /= 2
	}
	return fmt.Sprintf("%s, at %s", name, best)
}
