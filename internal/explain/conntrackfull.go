package explain

import (
	"fmt"
	"strconv"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// conntrackFull: the table of tracked connections of one end is full. Connections that are in it go on, and what would be the first packet of
// another one is dropped (net/netfilter/nf_conntrack_core.c, __nf_conntrack_alloc): the experiment waits for connections that are not made.
var conntrackFull = Cause{
	ID: "conntrack-full", Title: "the table of tracked connections", Transport: "tcp",
	Fails: func(c *Case) *Match {
		var m *Match
		for _, s := range []Side{c.Receiver, c.Sender} {
			g, why := c.delta(s, "conntrack.drop")
			if why != "" || g.Net < 1 {
				continue
			}
			m = &Match{
				Strength: Candidate, Component: s.Host + ": connection tracking",
				Sentence: fmt.Sprintf("%s was not measured: the table of tracked connections of %s is full, and it drops what would be new connections.", c.subject(), s.Host),
				Evidence: []record.Evidence{{Host: s.Host, Source: "/proc/net/stat/nf_conntrack", Counter: "drop", Before: ptr(0), After: ptr(g.Net), IdlePerSecond: g.Idle, Unit: "packets",
					Text: fmt.Sprintf("%.0f packets of connections that were not in the table found it full", g.Net)}},
			}
			held, most, known := tracked(s.Shots.After)
			if known {
				m.Evidence = append(m.Evidence, record.Evidence{Host: s.Host, Source: "sysctl net.netfilter.nf_conntrack_count", Counter: "nf_conntrack_count", After: &held, Unit: "connections",
					Text: fmt.Sprintf("%.0f connections are tracked afterwards, %.0f may be", held, most)})
				m.Undo = fmt.Sprintf("sysctl -w %s=%.0f", trackedMost, most)
			}
			m.Fix = fmt.Sprintf("sysctl -w %s=%d\nor no tracking of the storage network: nft add rule inet raw prerouting iifname %s notrack", trackedMost, manyTracked, s.Port.Interface)
			// Dropped packets of others are none of this experiment; what it asked for again and did not get is.
			again, why := c.delta(c.Sender, "TcpExt.TCPSynRetrans")
			if why == "" && again.Net >= 1 && (!known || held >= 0.9*most) {
				m.Strength = Likely
				m.Evidence = append(m.Evidence, record.Evidence{Host: c.Sender.Host, Source: "/proc/net/netstat", Counter: "TCPSynRetrans", Before: ptr(0), After: ptr(again.Net), IdlePerSecond: again.Idle, Unit: "segments",
					Text: fmt.Sprintf("%s asked %.0f times more for connections that were not made", c.Sender.Host, again.Net)})
				return m
			}
		}
		return m
	},
}

const (
	trackedMost = "net.netfilter.nf_conntrack_max"
	// manyTracked is more than any storage network has, at some 300 bytes each.
	manyTracked = 1 << 20
)

// tracked is how many connections a host has in its table, and how many it may.
func tracked(f *facts.Facts) (held, most float64, known bool) {
	if f == nil {
		return 0, 0, false
	}
	read := func(name string) float64 {
		text, _ := f.Sysctl(name)
		v, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return 0
		}
		return float64(v)
	}
	held, most = read("net.netfilter.nf_conntrack_count"), read(trackedMost)
	return held, most, held > 0 && most > 0
}
