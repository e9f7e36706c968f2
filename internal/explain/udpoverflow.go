package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// overUDP says whether an experiment sends datagrams.
func (c *Case) overUDP() bool { return c.Exp.Settings["transport"] == "udp" }

// overRDMA says whether the traffic was RDMA, of which the kernel's sockets know nothing.
func (c *Case) overRDMA() bool { return c.Exp.Method == record.MethodVerbs }

const (
	// tellingLoss is the share of datagrams below which loss is no answer to where goodput went.
	tellingLoss = 0.01
	// roomForBursts is the limit of receive buffers that the fix asks for: what linerate's own sockets ask for.
	roomForBursts = 32 << 20
)

// udpSocketOverflow: datagrams arrive at the receiver and find its socket full. Identity: what did not arrive is what
// the socket dropped. The kernel counts buffers there, each of which holds as many datagrams as receive offload has
// merged: their mean is taken from what was received.
var udpSocketOverflow = Cause{
	ID: "udp-socket-overflow", Title: "the receiver's socket buffer", Transport: "udp",
	Test: func(c *Case) *Match {
		sent, lost, missing, dropped, known := c.datagrams()
		if lost <= 0 || sent <= 0 || !known || dropped <= 0 {
			return nil
		}
		share := lost / sent
		host := c.Receiver.Host
		m := &Match{
			Strength: Candidate, Component: host + ": UDP socket buffer",
			Sentence: fmt.Sprintf("%s loses %s of its datagrams on %s: they arrive, and the buffer of the receiving socket is full.", c.subject(), unit.Percent(share), host),
			Evidence: []record.Evidence{{Host: host, Source: "SO_MEMINFO", Counter: "drops", After: ptr(dropped), Unit: "datagrams",
				Text: fmt.Sprintf("the receiving sockets dropped %s; %s did not arrive", datagrams(dropped), datagrams(missing))}},
			Fix:         fmt.Sprintf("sysctl -w net.core.rmem_max=%d\nthat is room for bursts; for a program that is always behind: more streams, or a lower rate (%s)", roomForBursts, c.with("pace", short(unit.BitRate(c.Goodput/float64(max(1, len(c.Streams))))))),
			NextCeiling: c.nextCeiling(""),
		}
		if d, ok := facts.SNMPDelta(c.Receiver.Shots.Before, c.Receiver.Shots.After, "Udp.RcvbufErrors"); ok && d > 0 {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "/proc/net/snmp", Counter: "Udp.RcvbufErrors", After: ptr(float64(d)), Unit: "buffers",
				Text: fmt.Sprintf("Udp.RcvbufErrors grew by %d over all repeats; a buffer may hold several datagrams", d)})
		}
		if !c.tells(share) || c.badDatagrams() >= sameShare*dropped {
			return m
		}
		if d, ok := closes(missing, dropped); ok {
			m.Strength = Proved
			m.Identity = &record.Identity{Left: "not arrived: " + datagrams(missing), Right: "dropped by the sockets: " + datagrams(dropped), Difference: d}
			return m
		}
		// A buffer that finds no room may be larger than the mean of those that found it, so that the drops say less than was lost. Then it is
		// the interfaces that say that all of it was lost on the host.
		buffers, most := c.socketDrops()
		if x, why := c.crossed(); why == "" && x.missing >= fewDatagrams*x.handed && x.between() < sameShare*x.missing && missing >= (1-sameShare)*buffers && missing <= (1+sameShare)*buffers*most {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "ip -s link", Counter: "rx_bytes", After: ptr(x.came), Unit: "datagrams",
				Text: fmt.Sprintf("%.0f of %.0f datagrams came to the interface of %s: they were lost behind it", x.came, x.left, host)})
		}
		return m
	},
}

// datagrams is the sums over the streams of the case; dropped is in datagrams. known is false unless every stream says
// what its socket dropped.
func (c *Case) datagrams() (sent, lost, missing, dropped float64, known bool) {
	for _, s := range c.Streams {
		if s.Datagrams == nil || s.Lost == nil || s.Missing == nil || s.Drops == nil {
			return 0, 0, 0, 0, false
		}
		sent, lost, missing = sent+float64(*s.Datagrams), lost+float64(*s.Lost), missing+float64(*s.Missing)
		dropped += droppedDatagrams(s)
	}
	return sent, lost, missing, dropped, len(c.Streams) > 0
}

// droppedDatagrams is what the socket of a stream dropped, at the mean of what was merged into a buffer.
func droppedDatagrams(s record.Stream) float64 {
	merged := 1.0
	if s.Merged != nil {
		merged = *s.Merged
	}
	return float64(*s.Drops) * merged
}

// socketDrops is what the receiving sockets dropped, in buffers, and how many datagrams one of them can have had.
func (c *Case) socketDrops() (buffers, most float64) {
	most = 1
	for _, s := range c.Streams {
		buffers += float64(*s.Drops)
		if s.Merged != nil && *s.Merged > 1.05 {
			most = float64(largestMerged)
		}
	}
	return buffers, most
}

// largestMerged is how many datagrams the kernel merges at most (UDP_MAX_SEGMENTS, include/linux/udp.h; 128 in newer ones).
const largestMerged = 128

// badDatagrams is how many came with a wrong checksum, which the socket counts as drops, too.
func (c *Case) badDatagrams() float64 {
	g, why := c.delta(c.Receiver, "Udp.InCsumErrors")
	if why != "" {
		return 0
	}
	return g.Net
}

func datagrams(v float64) string { return fmt.Sprintf("%.0f datagrams", v) }
