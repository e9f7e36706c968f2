package cause

import (
	"fmt"

	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// largestPing is the command that finds the path MTU with packets that must not be fragmented.
func largestPing(c *judge.Case, mtu int) string {
	to := "ADDRESS"
	if c.Receiver.Port != nil && c.Receiver.Port.Address.IsValid() {
		to = c.Receiver.Port.Address.Addr().String()
	}
	ask := func(size int) string {
		return c.TypedAt("", fmt.Sprintf("on %s: ping -c 3 -M do -s %d %s", c.Sender.Host, size, to))
	}
	return ask(mtu-28) + "\n" + ask(1472) + "\nthe larger of the two that is answered is what the way carries"
}

// nothing reports whether an experiment carried next to nothing. That needs no ceiling: a driver of a guest names no
// speed.
func nothing(c *judge.Case) bool {
	if c.Ceiling <= 0 {
		return c.Goodput < almostNothing
	}
	return c.Share() <= 0.01
}

// almostNothing is the goodput, in bits per second, below which nothing but a few small packets arrived.
const almostNothing = 1e5

// mtuBlackHole is the cause where something on the path silently drops packets of the size of both ends' MTU.
// Connections open, small packets arrive, and full segments never do; or the kernel found a smaller size by itself
// (net.ipv4.tcp_mtu_probing).
var mtuBlackHole = judge.Cause{
	ID: "mtu-black-hole", Title: "large packets that are dropped silently",
	Plain: "Large packets vanish on the way, and small ones arrive: some device in between takes smaller packets than " +
		"both ends are set to.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		a, b := c.Sender.NIC(), c.Receiver.NIC()
		mss, ok := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.MSS }))
		reported, ok1 := c.Median(false, judge.Integer(func(s *record.Socket) *int64 { return s.AdvMSS }))
		if a == nil || b == nil || !ok || !ok1 || a.MTU <= 0 || b.MTU <= 0 {
			return nil
		}
		m := &judge.Match{
			Strength: judge.Candidate, Component: c.Between() + ": its MTU",
			Fix: fmt.Sprintf("give every switch and bridge of the way an MTU of %d (a Linux switch: ip link set PORT mtu "+
				"%d), or both ends what every way carries:\non %s: ip link set %s mtu 1500\non %s: ip link set %s mtu 1500",
				min(a.MTU, b.MTU), min(a.MTU, b.MTU), c.Sender.Host, a.Name, c.Receiver.Host, b.Name),
			Undo: fmt.Sprintf("on %s: ip link set %s mtu %d\non %s: ip link set %s mtu %d", c.Sender.Host, a.Name, a.MTU,
				c.Receiver.Host, b.Name, b.MTU),
			NextCeiling: c.NextCeiling(""),
			Next:        largestPing(c, min(a.MTU, b.MTU)),
		}
		failed, why0 := c.Delta(c.Sender, "TcpExt.TCPMTUPFail")
		found, why1 := c.Delta(c.Sender, "TcpExt.TCPMTUPSuccess")
		if usual := float64(min(a.MTU, b.MTU) - segmentHeaders); why0 == "" && why1 == "" && failed.Net+found.Net > 0 &&
			mss < 0.95*usual && mss < 0.95*reported {
			m.Strength = judge.Likely
			m.Sentence = fmt.Sprintf("%s is held back by an MTU on the way that is smaller than %d at both ends. Large "+
				"packets are dropped silently, and the sender found by probing that %.0f bytes pass.",
				c.Subject(), min(a.MTU, b.MTU), mss)
			m.Evidence = []record.Evidence{
				judge.Rise(c.Sender.Host, "/proc/net/netstat", "TCPMTUPFail", failed.Net, "probes", "probes of larger packets: "+
					"%.0f failed, %.0f arrived", failed.Net, found.Net),
				{Host: c.Sender.Host, Source: "TCP_INFO", Counter: "mss", Before: new(reported), After: new(mss), Unit: "bytes",
					Text: fmt.Sprintf("segments of %.0f bytes, where %.0f were agreed", mss, reported)}}
			return m
		}
		if !nothing(c) {
			return nil
		}
		waits, ok2 := c.Sum(false, judge.Integer(func(s *record.Socket) *int64 { return s.Unacked }))
		timeouts, why := c.Delta(c.Sender, "TcpExt.TCPTimeouts")
		if !ok2 || waits <= 0 || why != "" || timeouts.Net < float64(len(c.Streams)) {
			return nil
		}
		m.Sentence = fmt.Sprintf("%s carries nothing: connections are made, but packets as large as the MTU of both ends "+
			"(%d) do not arrive.", c.Subject(), min(a.MTU, b.MTU))
		m.Evidence = []record.Evidence{judge.Rise(c.Sender.Host, "/proc/net/netstat, TCP_INFO", "TCPTimeouts",
			timeouts.Net, "times", "%.0f segments of up to %.0f bytes are not acknowledged, and the sender waited %.0f "+
				"times in vain", waits, mss, timeouts.Net)}
		// Small packets that still arrive distinguish it from a path that is down: the receiver queues what follows the lost
		// segments.
		small, why := c.Delta(c.Receiver, "TcpExt.TCPOFOQueue")
		if why != "" || small.Net <= 0 {
			return m
		}
		m.Likely(judge.Rise(c.Receiver.Host, "/proc/net/netstat", "TCPOFOQueue", small.Net, "segments", "%s got %.0f small "+
			"segments that were sent behind the lost ones", c.Receiver.Host, small.Net))
		return m
	},
}
