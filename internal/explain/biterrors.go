package explain

import (
	"fmt"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// bitErrors: packets arrive with wrong checksums and are thrown away; as many are sent again. The identity is the receiver's count of them
// against the segments sent again.
var bitErrors = Cause{
	ID: "bit-errors", Title: "packets that arrive broken", Transport: "tcp",
	Test: func(c *Case) *Match {
		l := c.lost()
		if l == nil || c.Share() >= 0.95 {
			return nil
		}
		host := c.Receiver.Host
		bad, source, counter := 0.0, "", ""
		for _, k := range []struct{ counter, source string }{{"Tcp.InCsumErrors", "/proc/net/snmp"}, {string(facts.BadFrames), "the driver's counters"}} {
			if g, why := c.delta(c.Receiver, k.counter); why == "" && g.Net > bad {
				bad, source, counter = g.Net, k.source, k.counter
			}
		}
		if bad < least {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: "the link to " + host,
			Sentence: fmt.Sprintf("%s is held back by broken packets: %.0f arrived at %s with a wrong checksum, and each has to be sent again.", c.subject(), bad, host),
			Evidence: []record.Evidence{{Host: host, Source: source, Counter: counter, Before: ptr(0), After: ptr(bad), Unit: "packets",
				Text: fmt.Sprintf("%.0f packets with wrong checksums arrived during the experiment", bad)}, l.evidence(c)},
			Fix:  "clean or change the cable and the modules on the way to " + host + ", one after the other, and measure after each" + c.withoutChecksums(),
			Undo: "plug the old one back", NextCeiling: c.nextCeiling(""),
		}
		return c.accountFor(m, l, bad, "broken packets at "+host)
	},
}

// withoutChecksums is how the sender's card is ruled out as what breaks them: its processor makes the checksums meanwhile.
func (c *Case) withoutChecksums() string {
	if c.Sender.Port == nil {
		return ""
	}
	return fmt.Sprintf("\nif that changes nothing, let the processor make the checksums in place of the card that sends, and measure again:\non %s: ethtool -K %s tx off", c.Sender.Host, c.Sender.Port.Interface)
}

func abs(v float64) float64 { return max(v, -v) }
