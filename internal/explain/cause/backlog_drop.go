package cause

import (
	"cmp"
	"fmt"
	"strconv"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// backlogSetting bounds the queue of each core, in packets.
const backlogSetting = "net.core.netdev_max_backlog"

// ordinaryBacklog is its value by default, in packets (net/core/hotdata.c).
const ordinaryBacklog = 1000

// backlogDrop is the cause where frames reached the receiver and found a core's backlog queue full, through which RPS
// and virtual interfaces pass received frames. The kernel counts each at the core and at the interface
// (enqueue_to_backlog in net/core/dev.c), which shows whose frame it was. Frames that receive offload has merged count
// once and are several segments.
var backlogDrop = judge.Cause{
	ID: "backlog-drop", Title: "the queue of the receiver's cores",
	Plain: "The data reached the receiving machine, and the line before its CPU was too short to keep them until " +
		"they were looked at.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		l := lost(c)
		if l == nil || c.Share() >= judge.AtCeiling {
			return nil
		}
		soft, why := c.Delta(c.Receiver, "softnet.dropped")
		if why != "" || soft.Net < minLosses {
			return nil
		}
		host, nic := c.Receiver.Host, c.Receiver.Port.Interface
		limit, known := c.Receiver.Shots.After.Sysctl(backlogSetting)
		m := c.Candidate(host+": queue of the cores", "is held back by %s: %.0f packets arrived and found the queue "+
			"before its CPU full, and had to be retransmitted.", host, soft.Net)
		m.Add(soft.Evidence(host, "/proc/net/softnet_stat", "dropped", "packets", "the queues of its cores dropped %.0f "+
			"packets during the experiment", soft.Net))
		m.Fix = fmt.Sprintf("sysctl -w %s=%d", backlogSetting, check.LongerBacklog(limit))
		m.Undo = fmt.Sprintf("sysctl -w %s=%s", backlogSetting, cmp.Or(limit, "1000"))
		if known {
			m.Add(record.Evidence{Host: host, Source: "sysctl " + backlogSetting, Counter: "limit", Unit: "packets",
				Text: fmt.Sprintf("%s is %s", backlogSetting, limit)})
		}
		at, why := c.Delta(c.Receiver, string(facts.ReceiveDrops))
		if why != "" || at.Net < 0.5*soft.Net {
			return m // the drops are of another interface, or it is not known
		}
		m.Add(at.Evidence(host, "ip -s link show dev "+nic, "rx_dropped", "packets", "%s lost %.0f packets that it "+
			"had received", nic, at.Net), l.evidence(c))
		here := min(soft.Net, at.Net)
		accountFor(c, m, l, here, "packets dropped by the queues of "+host)
		if m.Strength == judge.Candidate && here*mergedIn(c) >= 0.5*l.Segments {
			m.Strength = judge.Likely
		}
		if n, err := strconv.Atoi(limit); err == nil && n < ordinaryBacklog {
			return m
		}
		if cost := OffloadsOff.Test(c); cost != nil && cost.Strength >= judge.Likely {
			// a queue of default length is full because packets cost too much CPU time: a longer one fills up, too
			m.Strength = judge.Candidate
		}
		return m
	},
}

// mergedIn returns the mean number of the interface's frames in one packet of the receiver's backlog queues: receive
// offload merges before them. 1: it merges nothing, or it is not known.
func mergedIn(c *judge.Case) float64 {
	frames, w0 := c.Delta(c.Receiver, "rx_packets")
	taken, w1 := c.Delta(c.Receiver, "softnet.processed")
	lost, w2 := c.Delta(c.Receiver, "softnet.dropped")
	if w0 != "" || w1 != "" || w2 != "" || taken.Net+lost.Net <= 0 {
		return 1
	}
	return max(1, frames.Net/(taken.Net+lost.Net))
}
