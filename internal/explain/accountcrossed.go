package explain

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// crossing is how many datagrams passed both interfaces over the whole experiment, by their bytes: offload hands over several as one packet.
type crossing struct {
	handed  float64 // to the sender's kernel
	left    float64 // by the sender's interface
	came    float64 // to the receiver's interface
	missing float64 // of what was handed over, not in the receiving sockets
}

// between is what is missing of what left the sender's interface when it came to the receiver's.
func (x crossing) between() float64 { return max(0, x.left-x.came) }

const (
	// sameDatagrams is how far what was handed over and what left may be apart, as a share: other traffic of the interface, which has the
	// connection that steers the experiment, is in the second.
	sameDatagrams = 0.01
	// fewDatagrams is below what share of what is sent nothing is said of where it was lost: two large counts are subtracted.
	fewDatagrams = 2 * sameDatagrams
)

// crossed counts datagrams on their way. Why it is not known; empty: it is.
func (c *Case) crossed() (x crossing, why string) {
	size, err := unit.ParseBytes(c.Exp.InEffect["size"])
	if err != nil || size <= 0 {
		return x, "the size of a datagram is not in the record"
	}
	for _, r := range c.Exp.Repeats {
		for _, s := range r.Streams {
			if s.Direction != c.direction {
				continue
			}
			if s.Total == nil || s.Missing == nil {
				return x, "how many datagrams were sent over the whole time is not in the record"
			}
			x.handed, x.missing = x.handed+float64(*s.Total), x.missing+float64(*s.Missing)
		}
	}
	if x.handed < 1 {
		return x, "no datagram was sent"
	}
	for _, at := range []struct {
		side Side
		way  string
		to   *float64
	}{{c.Sender, "tx", &x.left}, {c.Receiver, "rx", &x.came}} {
		if at.side.Port == nil || at.side.Shots.Before == nil || at.side.Shots.After == nil {
			return x, at.side.Host + ": its counters around the measurement were not read"
		}
		bytes, _, why := c.payload(at.side, at.way, at.side.Shots.Before, at.side.Shots.After)
		if why != "" {
			return x, why
		}
		*at.to = bytes / float64(size)
	}
	if x.left < (1-sameDatagrams)*x.handed || x.left > (1+sameDatagrams)*x.handed {
		return x, fmt.Sprintf("%s were handed over, and %.0f of them left by %s: other traffic is in that, or another interface has them", datagrams(x.handed), x.left, c.Sender.Port.Interface)
	}
	return x, ""
}

// inDatagrams is how many datagrams counters of dropped packets mean, of which so many are missing. A queue counts a packet, which has several where
// the sender's kernel hands over several at once, and each by itself where it had to cut them: the one that is nearer to what is missing.
func (c *Case) inDatagrams(packets, missing float64) float64 {
	all := packets * c.merged()
	if math.Abs(packets-missing) <= math.Abs(all-missing) {
		return packets
	}
	return all
}

// accountCrossed holds the datagrams that did not arrive against those that were lost between the two interfaces. What closes was lost on the
// way; the rest came to the receiver's host and was lost there.
func accountCrossed(c *Case) []record.Account {
	if !c.overUDP() || c.Exp.Method == "ping" || c.Sender.Port == nil || c.Receiver.Port == nil {
		return nil
	}
	out, in := c.Sender.Port.Interface, c.Receiver.Port.Interface
	a := record.Account{Name: "crossed", Unit: "datagrams",
		Left:  record.Entry{What: "datagrams that did not arrive", Host: c.Receiver.Host, Source: "numbers in the datagrams"},
		Right: record.Entry{What: fmt.Sprintf("lost between %s and %s", out, in), Host: c.Sender.Host + ", " + c.Receiver.Host, Source: "ip -s link"}}
	x, why := c.crossed()
	if why != "" {
		open(&a, why)
		return []record.Account{a}
	}
	lost := x.between()
	a.Left.Value, a.Right.Value = &x.missing, &lost
	a.Right.Parts = []record.Entry{{What: "payload that left by " + out, Host: c.Sender.Host, Source: "ip -s link", Value: ptr(x.left)},
		{What: "payload that came by " + in, Host: c.Receiver.Host, Source: "ip -s link", Value: ptr(x.came), Note: "in datagrams"}}
	settle(&a, true)
	switch {
	case x.missing < fewDatagrams*x.handed:
		open(&a, fmt.Sprintf("%s of %.0f are too few for what the interfaces count in bytes, other traffic with them", datagrams(x.missing), x.handed))
	case *a.Closes:
		a.Sentence = fmt.Sprintf("%s did not arrive, and as many of those that left %s on %s did not come to %s on %s: they were lost in between.", datagrams(x.missing), out, c.Sender.Host, in, c.Receiver.Host)
	case lost < sameShare*x.missing:
		a.Sentence = fmt.Sprintf("%s did not arrive in the sockets, and all that left %s on %s came to %s on %s: they were lost on %s.", datagrams(x.missing), out, c.Sender.Host, in, c.Receiver.Host, c.Receiver.Host)
	default:
		a.Sentence = fmt.Sprintf("%s did not arrive; %.0f of them were lost between %s on %s and %s on %s, the rest on %s.", datagrams(x.missing), lost, out, c.Sender.Host, in, c.Receiver.Host, c.Receiver.Host)
	}
	return []record.Account{a}
}
