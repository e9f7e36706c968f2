package explain

import (
	"cmp"
	"fmt"
	"strconv"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// backlogSetting bounds the queue of each core, in packets.
const backlogSetting = "net.core.netdev_max_backlog"

// ordinaryBacklog is its value where nobody changed it, in packets (net/core/hotdata.c).
const ordinaryBacklog = 1000

// backlogDrop: frames reached the receiver and found the queue of a core full, through which RPS and virtual interfaces hand on what they
// receive. The kernel counts each at the core and at the interface (enqueue_to_backlog in net/core/dev.c), which shows whose it was; what
// receive offload had merged by then counts once and is several segments.
var backlogDrop = Cause{
	ID: "backlog-drop", Title: "the queue of the receiver's cores", Transport: "tcp",
	Test: func(c *Case) *Match {
		l := c.lost()
		if l == nil || c.Share() >= atCeiling {
			return nil
		}
		soft, why := c.delta(c.Receiver, "softnet.dropped")
		if why != "" || soft.Net < least {
			return nil
		}
		host, nic := c.Receiver.Host, c.Receiver.Port.Interface
		limit, known := c.Receiver.Shots.After.Sysctl(backlogSetting)
		m := &Match{
			Strength: Candidate, Component: host + ": queue of the cores",
			Sentence: fmt.Sprintf("%s is held back by %s: %.0f packets arrived and found the queue before its processor full, and had to be sent again.", c.subject(), host, soft.Net),
			Evidence: []record.Evidence{{Host: host, Source: "/proc/net/softnet_stat", Counter: "dropped", Before: ptr(0), After: ptr(soft.Net), IdlePerSecond: soft.Idle, Unit: "packets",
				Text: fmt.Sprintf("the queues of its cores dropped %.0f packets during the experiment", soft.Net)}},
			Fix:         fmt.Sprintf("sysctl -w %s=%d", backlogSetting, check.LongerBacklog(limit)),
			Undo:        fmt.Sprintf("sysctl -w %s=%s", backlogSetting, cmp.Or(limit, "1000")),
			NextCeiling: c.nextCeiling(""),
		}
		if known {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "sysctl " + backlogSetting, Counter: "limit", Unit: "packets", Text: fmt.Sprintf("%s is %s", backlogSetting, limit)})
		}
		at, why := c.delta(c.Receiver, string(facts.ReceiveDrops))
		if why != "" || at.Net < 0.5*soft.Net {
			return m // they are of another interface, or that is not known
		}
		m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "ip -s link show dev " + nic, Counter: "rx_dropped", Before: ptr(0), After: ptr(at.Net), IdlePerSecond: at.Idle, Unit: "packets",
			Text: fmt.Sprintf("%s lost %.0f packets that it had received", nic, at.Net)}, l.evidence(c))
		here := min(soft.Net, at.Net)
		c.accountFor(m, l, here, "packets dropped by the queues of "+host)
		if m.Strength == Candidate && here*c.mergedIn() >= 0.5*l.Segments {
			m.Strength = Likely
		}
		if n, err := strconv.Atoi(limit); err == nil && n < ordinaryBacklog {
			return m
		}
		if cost := offloadsOff.Test(c); cost != nil && cost.Strength >= Likely {
			m.Strength = Candidate // a queue of an ordinary length is full because each packet costs so much: a longer one fills up, too
		}
		return m
	},
}

// mergedIn is how many frames of the receiver's interface one packet in the queues of its cores had, mean: receive offload merges before
// them. 1: it merges nothing, or it is not known.
func (c *Case) mergedIn() float64 {
	frames, w0 := c.delta(c.Receiver, "rx_packets")
	taken, w1 := c.delta(c.Receiver, "softnet.processed")
	lost, w2 := c.delta(c.Receiver, "softnet.dropped")
	if w0 != "" || w1 != "" || w2 != "" || taken.Net+lost.Net <= 0 {
		return 1
	}
	return max(1, frames.Net/(taken.Net+lost.Net))
}
