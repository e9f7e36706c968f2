package cause

import (
	"fmt"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
)

// bitErrors is the cause where packets arrive with wrong checksums and are dropped; as many are retransmitted. The
// identity compares the receiver's count of them with the retransmitted segments.
var bitErrors = judge.Cause{
	ID: "bit-errors", Title: "packets that arrive broken",
	Plain:   "Data arrive damaged and have to be retransmitted: a cable, a plug or a module is bad.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		l := lost(c)
		if l == nil || c.Share() >= 0.95 {
			return nil
		}
		host := c.Receiver.Host
		bad, source, counter := 0.0, "", ""
		for _, k := range []struct{ counter, source string }{{"Tcp.InCsumErrors", "/proc/net/snmp"},
			{string(facts.BadFrames), "the driver's counters"}} {
			if g, why := c.Delta(c.Receiver, k.counter); why == "" && g.Net > bad {
				bad, source, counter = g.Net, k.source, k.counter
			}
		}
		if bad < minLosses {
			return nil
		}
		m := c.Candidate("the link to "+host, "is held back by broken packets: %.0f arrived at %s with a wrong checksum, "+
			"and each has to be retransmitted.", bad, host)
		m.Add(judge.Rise(host, source, counter, bad, "packets", "%.0f packets with wrong checksums arrived during the "+
			"experiment", bad), l.evidence(c))
		m.Fix = "clean or change the cable and the modules on the way to " + host + ", one after the other, and measure " +
			"after each" + withoutChecksums(c)
		m.Undo = "plug the old one back"
		return accountFor(c, m, l, bad, "broken packets at "+host)
	},
}

// withoutChecksums is a test that shows whether the sender's NIC damages them: the CPU computes the checksums instead.
func withoutChecksums(c *judge.Case) string {
	if c.Sender.Port == nil {
		return ""
	}
	return fmt.Sprintf("\nif that changes nothing, let the CPU make the checksums in place of the NIC that "+
		"sends, and measure again:\non %s: ethtool -K %s tx off", c.Sender.Host, c.Sender.Port.Interface)
}

func abs(v float64) float64 { return max(v, -v) }
