package cause

import (
	"fmt"
	"strconv"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// conntrackFull is the cause where the connection tracking table of one end is full. Tracked connections continue, and
// the first packet of a new one is dropped (net/netfilter/nf_conntrack_core.c, __nf_conntrack_alloc): the experiment
// waits for connections that cannot open.
var conntrackFull = judge.Cause{
	ID: "conntrack-full", Title: "the table of tracked connections",
	Plain: "A machine keeps a list of all its connections, and the list is full: those that it knows go on, and new " +
		"ones are not made.",
	Applies: judge.TCP,
	Fails: func(c *judge.Case) *judge.Match {
		var m *judge.Match
		for _, s := range []judge.Side{c.Receiver, c.Sender} {
			g, why := c.Delta(s, "conntrack.drop")
			if why != "" || g.Net < 1 {
				continue
			}
			m = &judge.Match{
				Strength: judge.Candidate, Component: s.Host + ": connection tracking",
				Sentence: fmt.Sprintf("%s was not measured: the table of tracked connections of %s is full, and it drops what "+
					"would be new connections.", c.Subject(), s.Host),
				Evidence: []record.Evidence{g.Evidence(s.Host, "/proc/net/stat/nf_conntrack", "drop", "packets",
					"%.0f packets of connections that were not in the table found it full", g.Net)},
			}
			held, most, known := tracked(s.Shots.After)
			if known {
				m.Add(record.Evidence{Host: s.Host, Source: "sysctl net.netfilter.nf_conntrack_count",
					Counter: "nf_conntrack_count", After: &held, Unit: "connections", Text: fmt.Sprintf("%.0f connections are "+
						"tracked afterwards, %.0f may be", held, most)})
				m.Undo = fmt.Sprintf("sysctl -w %s=%.0f", trackedMost, most)
			}
			m.Fix = fmt.Sprintf("sysctl -w %s=%d\nor no tracking of the storage network:\nnft add rule inet raw prerouting "+
				"iifname %s notrack", trackedMost, manyTracked, s.Port.Interface)
			// Drops may be of other connections. Repeated SYNs of this experiment are its own.
			again, why := c.Delta(c.Sender, "TcpExt.TCPSynRetrans")
			if why == "" && again.Net >= 1 && (!known || held >= 0.9*most) {
				m.Likely(again.Evidence(c.Sender.Host, "/proc/net/netstat", "TCPSynRetrans", "segments", "%s asked %.0f times "+
					"more for connections that were not made", c.Sender.Host, again.Net))
				return m
			}
		}
		return m
	},
}

const (
	trackedMost = "net.netfilter.nf_conntrack_max"
	// manyTracked is more connections than any storage network has, at some 300 bytes each.
	manyTracked = 1 << 20
)

// tracked returns the number of connections in a host's table, and the table's limit.
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
