package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// udpSocketOverflow is the cause where datagrams arrive at the receiver and find its socket full. The identity compares
// the missing datagrams with the socket's drops. The kernel counts these in buffers, each of which has as many
// datagrams as receive offload merged. Their mean is taken from the received ones.
var udpSocketOverflow = judge.Cause{
	ID: "udp-socket-overflow", Title: "the receiver's socket buffer", Label: "socket buffer",
	Plain: "The data arrive at the machine, and the program there takes them too slowly: what finds no room to wait is " +
		"thrown away.",
	Applies: judge.UDP,
	Test: func(c *judge.Case) *judge.Match {
		sent, lost, missing, dropped, known := c.Datagrams()
		if lost <= 0 || sent <= 0 || !known || dropped <= 0 {
			return nil
		}
		share := lost / sent
		host := c.Receiver.Host
		m := c.Candidate(host+": UDP socket buffer", "loses %s of its datagrams on %s: they arrive, and the buffer of "+
			"the receiving socket is full.", unit.Percent(share), host)
		m.Add(judge.Reading(host, "SO_MEMINFO", "drops", dropped, "datagrams", "the receiving sockets dropped %s; %s did "+
			"not arrive", judge.Datagrams(dropped), judge.Datagrams(missing)))
		m.Fix = fmt.Sprintf("sysctl -w net.core.rmem_max=%d\nthat is room for bursts; for a program that is always behind: "+
			"more streams, or a lower rate (%s)", judge.RoomForBursts, c.With("pace",
			judge.ShortRate(unit.BitRate(c.Goodput/float64(max(1, len(c.Streams)))))))
		if d, ok := facts.SNMPDelta(c.Receiver.Shots.Before, c.Receiver.Shots.After, "Udp.RcvbufErrors"); ok && d > 0 {
			m.Add(judge.Reading(host, "/proc/net/snmp", "Udp.RcvbufErrors", float64(d), "buffers", "Udp.RcvbufErrors grew by "+
				"%d over all repeats; a buffer may hold several datagrams", d))
		}
		if !explains(c, share) || c.BadDatagrams() >= judge.AccountTolerance*dropped {
			return m
		}
		if d, ok := judge.Matches(missing, dropped); ok {
			m.Strength = judge.Proved
			m.Identity = &record.Identity{Left: "not arrived: " + judge.Datagrams(missing),
				Right: "dropped by the sockets: " + judge.Datagrams(dropped), Difference: d}
			return m
		}
		// A dropped buffer may be larger than the mean of the received ones, so that the drops are below the losses. The
		// interfaces then show that everything was lost on the host.
		buffers, most := c.SocketDrops()
		if x, why := c.Crossed(); why == "" && x.Missing >= judge.MinLossShare*x.Handed &&
			x.Between() < judge.AccountTolerance*x.Missing && missing >= (1-judge.AccountTolerance)*buffers &&
			missing <= (1+judge.AccountTolerance)*buffers*most {
			m.Likely(judge.Reading(host, "ip -s link", "rx_bytes", x.Came, "datagrams", "%.0f of %.0f datagrams came to the "+
				"interface of %s: they were lost behind it", x.Came, x.Left, host))
		}
		return m
	},
}
