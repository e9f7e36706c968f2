package judge

import (
	"fmt"
	"math"

	"linerate/internal/record"
)

// Retransmits are the segments that a sender's TCP retransmitted over the whole experiment.
type Retransmits struct {
	Segments float64 // retransmitted, less Spurious: what was lost
	All      float64
	Spurious float64 // that the receiver already had, as its duplicate SACKs show
	// Streams is the count of the sockets in the steady intervals of all repeats; nil: not known.
	Streams *float64
	Source  string
}

// Retransmitted returns what the sender's kernel retransmitted from before to after the experiment, less its idle rate,
// over the same time as the drop counters, and the reason why it is not known; empty: it is. It is of the whole host,
// other connections included.
func (c *Case) Retransmitted() (Retransmits, string) {
	r := Retransmits{Source: "/proc/net/snmp"}
	if v, ok := c.OverRepeats(func(s *record.Socket) *int64 { return s.Retrans }); ok {
		r.Streams = &v
	}
	all, why := c.Delta(c.Sender, "Tcp.RetransSegs")
	if why != "" {
		return r, why
	}
	r.All = all.Net
	for _, name := range []string{"TcpExt.TCPDSACKRecvSegs", "TcpExt.TCPDSACKRecv"} {
		if d, why := c.Delta(c.Sender, name); why == "" {
			r.Spurious = min(d.Net, r.All)
			break
		}
	}
	r.Segments = r.All - r.Spurious
	return r, ""
}

// OverRepeats adds up one field of the sender's sockets over the intervals of all repeats; ok is false unless all
// have it.
func (c *Case) OverRepeats(field func(*record.Socket) *int64) (total float64, ok bool) {
	for _, r := range c.Exp.Repeats {
		for _, s := range r.Streams {
			if s.Direction != c.Direction {
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

// Merged returns the mean number of segments, or datagrams, of a packet on the sender's interface: with segmentation
// offload a queue, a firewall and a bridge count one packet where several segments are lost. 1: there is no offload, or
// it is not known.
func (c *Case) Merged() float64 {
	if c.OverUDP() {
		x, why := c.Crossed()
		packets, w := c.Delta(c.Sender, "tx_packets")
		if why != "" || w != "" || packets.Net <= 0 {
			return 1
		}
		return max(1, x.Left/packets.Net)
	}
	segments, w0 := c.Delta(c.Sender, "Tcp.OutSegs")
	packets, w1 := c.Delta(c.Sender, "tx_packets")
	if w0 != "" || w1 != "" || packets.Net <= 0 {
		return 1
	}
	return max(1, segments.Net/packets.Net)
}

// MostMerged returns the largest possible number of segments in one packet: 1 without segmentation offload at the
// sender and receive offload at the receiver.
func (c *Case) MostMerged() float64 {
	mss, ok := c.Median(false, Integer(func(s *record.Socket) *int64 { return s.MSS }))
	if in, _ := c.MergedIn(); !ok || mss <= 0 || max(in, c.Merged()) < 1.05 {
		return 1
	}
	return math.Ceil(65535 / mss)
}

// WasOrWere returns "1 segment was", "5 segments were".
func WasOrWere(v float64) string {
	if n := math.Round(v); n != 1 {
		return fmt.Sprintf("%.0f segments were", n)
	}
	return "1 segment was"
}
