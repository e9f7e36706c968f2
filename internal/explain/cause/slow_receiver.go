package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// slowReceiver is the cause where the receiving program does not read what has arrived, so that its buffer fills and
// the TCP window closes. A full CPU looks the same, and is tried first.
var slowReceiver = judge.Cause{
	ID: "slow-receiver", Title: "the program that receives",
	Plain:   "The program that receives takes the data too slowly, and everything waits for it.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		host := c.Receiver.Host
		waited, ok := limitedShare(c, func(s *record.Socket) *float64 { return s.RwndLimited })
		have, haveOK := c.Median(true, judge.Integer(func(s *record.Socket) *int64 { return s.RcvBuf }))
		queued, queuedOK := c.Median(true, judge.Integer(func(s *record.Socket) *int64 { return s.RecvQ }))
		closed, why := c.Delta(c.Receiver, "TcpExt.TCPToZeroWindowAdv")
		if why != "" {
			closed, why = c.Delta(c.Receiver, "TcpExt.TCPWantZeroWindowAdv")
		}
		full := haveOK && queuedOK && queued >= 0.5*have
		waits, shut := ok && waited >= 0.3, why == "" && closed.Net >= 1
		// A large buffer hides the waiting until it is full.
		if !full && !(waits && shut) || !waits && !shut || starved(c, c.Receiver) || cpuBound(c) != nil {
			return nil
		}
		m := c.Candidate(host+": the receiving program", "is held back by the program that receives on %s: it does not "+
			"take what has arrived, and the sender has to wait.", host)
		m.Fix = fmt.Sprintf("look at what the receiving program on %s waits for: its drive (iostat -x 1), a CPU core "+
			"that is full (top -H), or other programs; if it has a thread for each connection, use more streams", host)
		m.Undo = judge.NoSettingChanged
		if waits {
			m.Add(judge.Reading(c.Sender.Host, "TCP_INFO", "rwnd_limited", waited, "share of busy time", "the sender waited "+
				"for the receiver's window %s of the time it was busy", unit.Percent(waited)))
		}
		if full {
			m.Add(judge.Reading(host, "SO_MEMINFO", "recv_q", queued, "bytes", "%s wait for the reader, of a receive "+
				"buffer of %s", unit.Bytes(queued).Like(unit.Bytes(have)), unit.Bytes(have)))
		}
		if shut {
			m.Add(judge.Reading(host, "/proc/net/netstat", "TCPToZeroWindowAdv", closed.Net, "times", "the receiver closed "+
				"its window %.0f times", closed.Net))
		}
		// A small buffer fills often, and closes the TCP window as often, although the reader keeps up.
		if !smallBuffers(c) || full {
			m.Strength = judge.Likely
		}
		if _, known := CPUs(c, c.Receiver); quotaUnread(c.Receiver) || !known && len(c.Repeat.CPU) > 0 {
			m.Strength = judge.Candidate // a reader without CPU time looks the same, and its snapshot cannot be read
		}
		return m
	},
}
