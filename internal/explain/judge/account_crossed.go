package judge

import (
	"fmt"
	"math"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Crossing has the datagrams that passed both interfaces over the whole experiment. They are derived from the bytes,
// because offload combines several into one packet.
type Crossing struct {
	Handed  float64 // passed to the sender's kernel
	Left    float64 // sent by the sender's interface
	Came    float64 // received by the receiver's interface
	Missing float64 // handed over, but not in the receiving sockets
}

// Between returns the datagrams that were lost between the two interfaces.
func (x Crossing) Between() float64 { return max(0, x.Left-x.Came) }

const (
	// sameDatagrams is the largest difference between datagrams handed over and sent, as a share: the second includes
	// other traffic of the interface, such as the control connection.
	sameDatagrams = 0.01
	// MinLossShare is the share of lost datagrams below which their place is not judged: it is the difference of two large
	// counts.
	MinLossShare = 2 * sameDatagrams
)

// Crossed counts datagrams along the path. why is the reason why this is not known; empty: it is.
func (c *Case) Crossed() (x Crossing, why string) {
	size, err := unit.ParseBytes(c.Exp.InEffect["size"])
	if err != nil || size <= 0 {
		return x, "the size of a datagram is not in the record"
	}
	for _, r := range c.Exp.Repeats {
		for _, s := range r.Streams {
			if s.Direction != c.Direction {
				continue
			}
			if s.Total == nil || s.Missing == nil {
				return x, "how many datagrams were sent over the whole time is not in the record"
			}
			x.Handed, x.Missing = x.Handed+float64(*s.Total), x.Missing+float64(*s.Missing)
		}
	}
	if x.Handed < 1 {
		return x, "no datagram was sent"
	}
	for _, at := range []struct {
		side Side
		way  string
		to   *float64
	}{{c.Sender, "tx", &x.Left}, {c.Receiver, "rx", &x.Came}} {
		if at.side.Port == nil || at.side.Shots.Before == nil || at.side.Shots.After == nil {
			return x, at.side.Host + ": its counters around the measurement were not read"
		}
		bytes, _, why := c.payload(at.side, at.way, at.side.Shots.Before, at.side.Shots.After)
		if why != "" {
			return x, why
		}
		*at.to = bytes / float64(size)
	}
	if x.Left < (1-sameDatagrams)*x.Handed || x.Left > (1+sameDatagrams)*x.Handed {
		return x, fmt.Sprintf("%s were handed over, and %.0f of them left by %s: other traffic is in that, or another "+
			"interface has them", Datagrams(x.Handed), x.Left, c.Sender.Port.Interface)
	}
	return x, ""
}

// InDatagrams converts a count of dropped packets into datagrams. A queue counts packets, which may be several
// datagrams that the sender's kernel combined, or single ones that it had to split. The result is the one that is
// nearer to the missing datagrams.
func (c *Case) InDatagrams(packets, missing float64) float64 {
	all := packets * c.Merged()
	if math.Abs(packets-missing) <= math.Abs(all-missing) {
		return packets
	}
	return all
}

// accountCrossed compares the datagrams that did not arrive with those that were lost between the two interfaces. If
// the two match, they were lost on the path. The rest arrived at the receiver's host and was lost there.
func accountCrossed(c *Case) []record.Account {
	if !c.OverUDP() || method.Named(c.Exp.Method).RoundTrips || c.Sender.Port == nil || c.Receiver.Port == nil {
		return nil
	}
	out, in := c.Sender.Port.Interface, c.Receiver.Port.Interface
	a := record.Account{Name: "crossed", Unit: "datagrams",
		Left: record.Entry{What: "datagrams that did not arrive", Host: c.Receiver.Host, Source: "numbers in the datagrams"},
		Right: record.Entry{What: fmt.Sprintf("lost between %s and %s", out, in),
			Host: c.Sender.Host + ", " + c.Receiver.Host, Source: "ip -s link"}}
	x, why := c.Crossed()
	if why != "" {
		open(&a, why)
		return []record.Account{a}
	}
	lost := x.Between()
	a.Left.Value, a.Right.Value = &x.Missing, &lost
	a.Right.Parts = []record.Entry{{What: "payload that left by " + out, Host: c.Sender.Host, Source: "ip -s link",
		Value: new(x.Left)},
		{What: "payload that came by " + in, Host: c.Receiver.Host, Source: "ip -s link", Value: new(x.Came),
			Note: "in datagrams"}}
	settle(&a, true)
	switch {
	case x.Missing < MinLossShare*x.Handed:
		open(&a, fmt.Sprintf("%s of %.0f are too few for what the interfaces count in bytes, other traffic with them",
			Datagrams(x.Missing), x.Handed))
	case *a.Closes:
		a.Sentence = fmt.Sprintf("%s did not arrive, and as many of those that left %s on %s did not come to %s on %s: "+
			"they were lost in between.", Datagrams(x.Missing), out, c.Sender.Host, in, c.Receiver.Host)
	case lost < AccountTolerance*x.Missing:
		a.Sentence = fmt.Sprintf("%s did not arrive in the sockets, and all that left %s on %s came to %s on %s: they "+
			"were lost on %s.", Datagrams(x.Missing), out, c.Sender.Host, in, c.Receiver.Host, c.Receiver.Host)
	default:
		a.Sentence = fmt.Sprintf("%s did not arrive; %.0f of them were lost between %s on %s and %s on %s, the rest on %s.",
			Datagrams(x.Missing), lost, out, c.Sender.Host, in, c.Receiver.Host, c.Receiver.Host)
	}
	return []record.Account{a}
}
