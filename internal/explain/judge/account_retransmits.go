package judge

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/record"
)

// accountRetransmits compares the segments that TCP retransmitted because they were lost with every counter of drops on
// the path. If they match, the place of the losses is proved. If not, and all counters are known, segments were lost
// where nothing counts.
func accountRetransmits(c *Case) []record.Account {
	if c.OverUDP() || method.Named(c.Exp.Method).RoundTrips {
		return nil
	}
	a := record.Account{Name: "resent", Unit: "segments",
		Left: record.Entry{What: "segments retransmitted because they were lost", Host: c.Sender.Host,
			Source: "Tcp.RetransSegs, TcpExt.TCPDSACKRecvSegs"},
		Right: record.Entry{What: "packets dropped on the path", Host: c.Sender.Host + ", " + c.Receiver.Host,
			Source: "counters of drops"}}
	r, why := c.Retransmitted()
	list, unknown := c.Dropped()
	a.Uncertain = unknown
	if why != "" {
		if r.Streams != nil {
			a.Left.Parts = append(a.Left.Parts, record.Entry{What: "of the experiment's sockets in the steady intervals",
				Host: c.Sender.Host, Source: "TCP_INFO", Value: r.Streams})
		}
		open(&a, why)
		return []record.Account{a}
	}
	a.Left.Value = &r.Segments
	a.Left.Parts = []record.Entry{{What: "segments retransmitted", Host: c.Sender.Host,
		Source: "/proc/net/snmp: Tcp.RetransSegs", Value: new(r.All)},
		{What: "of these the receiver had already", Host: c.Sender.Host, Source: "/proc/net/netstat: TcpExt.TCPDSACKRecvSegs",
			Value: new(r.Spurious), Note: "retransmitted, but not lost"}}
	if r.Streams != nil {
		a.Left.Parts = append(a.Left.Parts, record.Entry{What: "of the experiment's sockets in the steady intervals",
			Host: c.Sender.Host, Source: "TCP_INFO", Value: r.Streams, Note: "part of the first"})
	}
	c.againstDrops(&a, list, r.Segments)
	return []record.Account{a}
}

// againstDrops fills the right side with the drops, and settles the cross-check. It omits the drops of the sender's own
// queue, of which TCP learns at once, unless the sides match with them. With segmentation offload, a counter counts one
// packet for up to 64 KiB of segments: the place is then likely, and the number is not known.
func (c *Case) againstDrops(a *record.Account, list []Drop, lost float64) {
	strict, own := 0.0, 0.0
	for _, d := range list {
		e := record.Entry{What: d.Label(), Host: d.Host, Source: d.Source, Value: new(d.Count)}
		switch {
		case d.Twice != "":
			e.Note = "the same packets as " + d.Twice
		case d.Own:
			own += d.Count
			e.Note = "of the sender's own queue: TCP learns it immediately"
		default:
			strict += d.Count
		}
		a.Right.Parts = append(a.Right.Parts, e)
	}
	how := ""
	for _, try := range []struct {
		value float64
		how   string
	}{{strict + own, ", those of its own queue with them"}, {strict, ""}} {
		a.Right.Value, how = new(try.value), try.how
		if settle(a, true); own >= 0.5 && *a.Closes && lost >= 0.5 {
			break
		}
	}
	var where []string
	for _, d := range list {
		if d.Twice == "" {
			where = append(where, fmt.Sprintf("%.0f by %s on %s", d.Count, d.Label(), d.Host))
		}
	}
	slices.Sort(where)
	total := strict + own
	switch {
	case lost < 0.5 && total < 0.5 && len(a.Uncertain) > 0:
		a.Sentence = "Nothing was retransmitted; " + joined(a.Uncertain) + "."
	case lost < 0.5 && total < 0.5:
		a.Sentence = "Nothing was retransmitted, and no counter of drops moved."
	case lost < 0.5 && strict < 0.5:
		a.Sentence = fmt.Sprintf("Nothing was retransmitted; the sender's own queue had no room for %.0f packets, of which "+
			"TCP learns it immediately.", own)
	case *a.Closes:
		a.Sentence = fmt.Sprintf("%s lost and retransmitted, and as many were dropped%s: %s.", WasOrWere(lost), how,
			strings.Join(where, ", "))
	case len(a.Uncertain) > 0:
		open(a, joined(a.Uncertain))
	case lost > strict+own && lost <= (strict+own)*c.MostMerged():
		open(a, fmt.Sprintf("the %.0f packets dropped (%s) had up to %.0f segments each, and %s", strict+own,
			strings.Join(where, ", "), c.MostMerged(), strings.TrimSuffix(WasOrWere(lost), " were")+" were lost and "+
				"retransmitted"))
	case total < 0.5:
		a.Sentence = fmt.Sprintf("%s lost and retransmitted, and no counter of either end moved: they were lost in between, "+
			"or by something that does not count.", WasOrWere(lost))
	default:
		a.Sentence = fmt.Sprintf("%s lost and retransmitted, and the counters of drops say %s: they are not the same.",
			WasOrWere(lost), strings.Join(where, ", "))
	}
}
