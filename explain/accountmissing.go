package explain

import (
	"fmt"

	"linerate/result"
)

// accountMissing holds the datagrams that did not arrive against what the receiving sockets and every counter on the path dropped.
func accountMissing(c *Case) []result.Account {
	if !c.overUDP() || c.Exp.Method == "ping" {
		return nil
	}
	a := result.Account{Name: "missing", Unit: "datagrams",
		Left:  result.Entry{What: "datagrams that did not arrive", Host: c.Receiver.Host, Source: "numbers in the datagrams"},
		Right: result.Entry{What: "packets dropped on the path", Host: c.Sender.Host + ", " + c.Receiver.Host, Source: "SO_MEMINFO, counters of drops"}}
	missing, sockets, known := 0.0, 0.0, false
	for _, r := range c.Exp.Repeats {
		for _, s := range r.Streams {
			if s.Direction != c.direction {
				continue
			}
			if s.Missing == nil || s.Drops == nil {
				open(&a, fmt.Sprintf("%s: what its sockets dropped was not read", c.Receiver.Host))
				return []result.Account{a}
			}
			merged := 1.0
			if s.Merged != nil {
				merged = *s.Merged
			}
			missing, sockets, known = missing+float64(*s.Missing), sockets+float64(*s.Drops)*merged, true
		}
	}
	if !known {
		return nil
	}
	list, unknown := c.dropped()
	a.Left.Value, a.Uncertain = &missing, unknown
	total := sockets
	if sockets > 0 {
		a.Right.Parts = append(a.Right.Parts, result.Entry{What: "drops of the receiving sockets", Host: c.Receiver.Host, Source: "SO_MEMINFO", Value: ptr(sockets)})
	}
	for _, d := range list {
		e := result.Entry{What: d.what(), Host: d.Host, Source: d.Source, Value: ptr(d.Count)}
		if d.Twice != "" {
			e.Note = "the same packets as " + d.Twice
		} else {
			total += d.Count
		}
		a.Right.Parts = append(a.Right.Parts, e)
	}
	a.Right.Value = &total
	settle(&a, true)
	switch {
	case missing < 0.5 && total < 0.5:
		a.Sentence = "Every datagram arrived, and no counter of drops moved."
	case *a.Closes:
		a.Sentence = fmt.Sprintf("%s did not arrive, and as many were dropped: %.0f by the receiving sockets, %.0f by other counters.", datagrams(missing), sockets, total-sockets)
	case len(unknown) > 0:
		open(&a, joined(unknown))
	default:
		a.Sentence = fmt.Sprintf("%s did not arrive, and the counters of drops say %.0f.", datagrams(missing), total)
	}
	return []result.Account{a}
}
