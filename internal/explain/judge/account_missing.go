package judge

import (
	"fmt"

	"linerate/internal/base/method"
	"linerate/internal/record"
)

// accountMissing compares the datagrams that did not arrive with what the receiving sockets and every counter on the
// path dropped. Both cover the whole time: the missing datagrams and the sockets' drops from the first datagram to the
// end of each repeat, the other counters from before the first repeat to after the last.
func accountMissing(c *Case) []record.Account {
	if !c.OverUDP() || method.Named(c.Exp.Method).RoundTrips {
		return nil
	}
	a := record.Account{Name: "missing", Unit: "datagrams",
		Left: record.Entry{What: "datagrams that did not arrive", Host: c.Receiver.Host, Source: "numbers in the datagrams"},
		Right: record.Entry{What: "packets dropped on the path", Host: c.Sender.Host + ", " + c.Receiver.Host,
			Source: "SO_MEMINFO, counters of drops"}}
	missing, sockets, buffers, known := 0.0, 0.0, 0.0, false
	for _, r := range c.Exp.Repeats {
		for _, s := range r.Streams {
			if s.Direction != c.Direction {
				continue
			}
			if s.Missing == nil || s.Drops == nil {
				open(&a, fmt.Sprintf("%s: what its sockets dropped was not read", c.Receiver.Host))
				return []record.Account{a}
			}
			missing, sockets, buffers, known = missing+float64(*s.Missing), sockets+DroppedDatagrams(s),
				buffers+float64(*s.Drops), true
		}
	}
	if !known {
		return nil
	}
	list, unknown := c.Dropped()
	a.Left.Value, a.Uncertain = &missing, unknown
	total := sockets
	if sockets > 0 {
		a.Right.Parts = append(a.Right.Parts, record.Entry{What: "drops of the receiving sockets", Host: c.Receiver.Host,
			Source: "SO_MEMINFO", Value: new(sockets)})
	}
	packets := 0.0
	for _, d := range list {
		e := record.Entry{What: d.Label(), Host: d.Host, Source: d.Source, Value: new(d.Count)}
		if d.Twice != "" {
			e.Note = "the same packets as " + d.Twice
		} else {
			packets += d.Count
		}
		a.Right.Parts = append(a.Right.Parts, e)
	}
	dropped := c.InDatagrams(packets, missing-sockets)
	if dropped > 1.05*packets {
		a.Right.Parts = append(a.Right.Parts, record.Entry{What: "datagrams in a packet", Host: c.Sender.Host,
			Source: "ip -s link", Value: new(c.Merged()), Note: "of each of these"})
	}
	total += dropped
	a.Right.Value = &total
	settle(&a, true)
	switch {
	case missing < 0.5 && total < 0.5:
		a.Sentence = "Every datagram arrived, and no counter of drops moved."
	case *a.Closes:
		a.Sentence = fmt.Sprintf("%s did not arrive, and as many were dropped: %.0f by the receiving sockets, %.0f by "+
			"other counters.", Datagrams(missing), sockets, total-sockets)
	case len(unknown) > 0:
		open(&a, joined(unknown))
	case sockets > 1.05*buffers && missing > total-sockets+buffers && missing < total-sockets+buffers*largestMerged:
		open(&a, fmt.Sprintf("the %.0f buffers that the receiving sockets dropped had 1 to %d datagrams each, and which "+
			"is not counted; %s did not arrive", buffers, largestMerged, Datagrams(missing)))
	default:
		a.Sentence = fmt.Sprintf("%s did not arrive, and the counters of drops say %.0f.", Datagrams(missing), total)
	}
	return []record.Account{a}
}
