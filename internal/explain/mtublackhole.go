package explain

import (
	"fmt"

	"linerate/internal/record"
)

// mtuBlackHole: something on the way drops packets that are as large as both ends' MTU, and tells nobody. Connections are made, their small packets
// arrive, and full segments never do; or the kernel found a smaller size by itself (net.ipv4.tcp_mtu_probing).
var mtuBlackHole = Cause{
	ID: "mtu-black-hole", Title: "large packets that are dropped silently", Transport: "tcp",
	Test: func(c *Case) *Match {
		a, b := c.Sender.NIC(), c.Receiver.NIC()
		mss, ok := c.median(false, count(func(s *record.Socket) *int64 { return s.MSS }))
		told, ok1 := c.median(false, count(func(s *record.Socket) *int64 { return s.AdvMSS }))
		if a == nil || b == nil || !ok || !ok1 || a.MTU <= 0 || b.MTU <= 0 {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: c.between() + ": its MTU",
			Fix: fmt.Sprintf("give every switch and bridge of the way an MTU of %d (a Linux switch: ip link set PORT mtu %d), or both ends what every way carries:\non %s: ip link set %s mtu 1500\non %s: ip link set %s mtu 1500",
				min(a.MTU, b.MTU), min(a.MTU, b.MTU), c.Sender.Host, a.Name, c.Receiver.Host, b.Name),
			Undo:        fmt.Sprintf("on %s: ip link set %s mtu %d\non %s: ip link set %s mtu %d", c.Sender.Host, a.Name, a.MTU, c.Receiver.Host, b.Name, b.MTU),
			NextCeiling: c.nextCeiling(""),
			Next:        c.largestPing(min(a.MTU, b.MTU)),
		}
		failed, why0 := c.delta(c.Sender, "TcpExt.TCPMTUPFail")
		found, why1 := c.delta(c.Sender, "TcpExt.TCPMTUPSuccess")
		if usual := float64(min(a.MTU, b.MTU) - segmentHeaders); why0 == "" && why1 == "" && failed.Net+found.Net > 0 && mss < 0.95*usual && mss < 0.95*told {
			m.Strength = Likely
			m.Sentence = fmt.Sprintf("%s is held back by an MTU on the way that is smaller than %d at both ends: large packets are dropped silently, and the sender found by probing that %.0f bytes pass.",
				c.subject(), min(a.MTU, b.MTU), mss)
			m.Evidence = []record.Evidence{
				{Host: c.Sender.Host, Source: "/proc/net/netstat", Counter: "TCPMTUPFail", Before: ptr(0), After: ptr(failed.Net), Unit: "probes",
					Text: fmt.Sprintf("probes of larger packets: %.0f failed, %.0f arrived", failed.Net, found.Net)},
				{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "mss", Before: ptr(told), After: ptr(mss), Unit: "bytes", Text: fmt.Sprintf("segments of %.0f bytes, where %.0f were agreed", mss, told)}}
			return m
		}
		if c.Share() > 0.01 || c.Ceiling <= 0 {
			return nil
		}
		waits, ok2 := c.sum(false, count(func(s *record.Socket) *int64 { return s.Unacked }))
		timeouts, why := c.delta(c.Sender, "TcpExt.TCPTimeouts")
		if !ok2 || waits <= 0 || why != "" || timeouts.Net < float64(len(c.Streams)) {
			return nil
		}
		m.Sentence = fmt.Sprintf("%s carries nothing: connections are made, but packets as large as the MTU of both ends (%d) do not arrive.", c.subject(), min(a.MTU, b.MTU))
		m.Evidence = []record.Evidence{{Host: c.Sender.Host, Source: "/proc/net/netstat, TCP_INFO", Counter: "TCPTimeouts", Before: ptr(0), After: ptr(timeouts.Net), Unit: "times",
			Text: fmt.Sprintf("%.0f segments of up to %.0f bytes are not acknowledged, and the sender waited %.0f times in vain", waits, mss, timeouts.Net)}}
		// Small packets that arrive meanwhile tell it from a way that is down: what was behind the lost ones is kept by the receiver.
		small, why := c.delta(c.Receiver, "TcpExt.TCPOFOQueue")
		if why != "" || small.Net <= 0 {
			return m
		}
		m.Evidence = append(m.Evidence, record.Evidence{Host: c.Receiver.Host, Source: "/proc/net/netstat", Counter: "TCPOFOQueue", Before: ptr(0), After: ptr(small.Net), Unit: "segments",
			Text: fmt.Sprintf("%s got %.0f small segments that were sent behind the lost ones", c.Receiver.Host, small.Net)})
		m.Strength = Likely
		return m
	},
}
