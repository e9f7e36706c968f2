package dcb

import (
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// SetPoint stores whether a host marks (np: notification point) or slows down (rp: reaction point) for a priority; ECN
// needs both.
func SetPoint(c *facts.Classes, f *parse.Builder, which string, priority int, on bool, p facts.Proof) {
	points := parse.StateOf[ECNPoints](f)
	if *points == nil {
		*points = ECNPoints{}
	}
	if (*points)[c] == nil {
		(*points)[c] = map[string]bool{}
	}
	(*points)[c][which+" "+strconv.Itoa(priority)] = on
	Says(c, "ecn "+strconv.Itoa(priority), p, !on) // of two lines the one that is off counts
}

// SettlePoints stores ECN in its queues.
func SettlePoints(c *facts.Classes, points map[string]bool) {
	for priority := range 8 {
		np, ok := points["np "+strconv.Itoa(priority)]
		rp, ok2 := points["rp "+strconv.Itoa(priority)]
		class := priority
		if k, ok := c.Priorities[priority]; ok {
			class = k
		}
		switch {
		case ok && !np || ok2 && !rp:
			c.SetQueue(class, func(q *facts.Queue) { q.ECN = unit.Known(false) })
		case ok && ok2:
			c.SetQueue(class, func(q *facts.Queue) { q.ECN = unit.Known(true) })
		case ok || ok2:
			c.SetQueue(class, func(q *facts.Queue) {
				q.ECN = unit.Unknown[bool]("of the two points (roce_np, roce_rp) one is not known")
			})
		}
	}
}

// ECNPoints are the points of ECN that were read and are not yet in a queue: "np 3", "rp 3".
type ECNPoints map[*facts.Classes]map[string]bool
