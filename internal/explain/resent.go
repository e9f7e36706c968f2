package explain

import (
	"fmt"
	"math"

	"linerate/internal/record"
)

// resent is what a sender's TCP sent again over the whole experiment.
type resent struct {
	Segments float64 // again, less Spurious: what was lost
	All      float64
	Spurious float64 // that the receiver had already: it said so with a duplicate SACK
	// Streams is what the sockets themselves counted in the steady windows of all repeats; nil: not known.
	Streams *float64
	Source  string
}

// retransmitted is what the sender's kernel sent again from before to after the experiment, with its idle rate taken off: the same time as
// every drop counter. Why it is not known; empty: it is. It is of the whole host: other connections that lose are in it.
func (c *Case) retransmitted() (resent, string) {
	r := resent{Source: "/proc/net/snmp"}
	if v, ok := c.overRepeats(func(s *record.Socket) *int64 { return s.Retrans }); ok {
		r.Streams = &v
	}
	all, why := c.delta(c.Sender, "Tcp.RetransSegs")
	if why != "" {
		return r, why
	}
	r.All = all.Net
	for _, name := range []string{"TcpExt.TCPDSACKRecvSegs", "TcpExt.TCPDSACKRecv"} {
		if d, why := c.delta(c.Sender, name); why == "" {
			r.Spurious = min(d.Net, r.All)
			break
		}
	}
	r.Segments = r.All - r.Spurious
	return r, ""
}

// overRepeats adds up one field of the sender's sockets over the windows of all repeats; ok is false unless all have it.
func (c *Case) overRepeats(field func(*record.Socket) *int64) (total float64, ok bool) {
	for _, r := range c.Exp.Repeats {
		for _, s := range r.Streams {
			if s.Direction != c.direction {
				continue
			}
			if s.Socket == nil || field(s.Socket) == nil {
				return 0, false
			}
			total, ok = total+float64(*field(s.Socket)), true
		}
	}
	return total, ok
}

// merged is how many segments, or datagrams, a packet had on the sender's interface, mean: with segmentation offload a queue, a firewall and a bridge
// count one where several segments are lost. 1: they are the same, or it is not known.
func (c *Case) merged() float64 {
	if c.overUDP() {
		x, why := c.crossed()
		packets, w := c.delta(c.Sender, "tx_packets")
		if why != "" || w != "" || packets.Net <= 0 {
			return 1
		}
		return max(1, x.left/packets.Net)
	}
	segments, w0 := c.delta(c.Sender, "Tcp.OutSegs")
	packets, w1 := c.delta(c.Sender, "tx_packets")
	if w0 != "" || w1 != "" || packets.Net <= 0 {
		return 1
	}
	return max(1, segments.Net/packets.Net)
}

// mostMerged is how many segments one packet of the sender can have had: 1 without segmentation offload.
func (c *Case) mostMerged() float64 {
	mss, ok := c.median(false, count(func(s *record.Socket) *int64 { return s.MSS }))
	if !ok || mss <= 0 || c.merged() < 1.05 {
		return 1
	}
	return math.Ceil(65535 / mss)
}

// werePlural is "1 segment was", "5 segments were".
func werePlural(v float64) string {
	if n := math.Round(v); n != 1 {
		return fmt.Sprintf("%.0f segments were", n)
	}
	return "1 segment was"
}
