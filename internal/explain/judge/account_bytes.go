package judge

import (
	"fmt"
	"math"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// accountSent compares the payload on the planned interface at each end with what the experiment measured in the same
// time. More is other traffic of the interface, less means that data took another path. The time is that between the
// snapshots in the steady interval. Without these, the snapshots before and after include warm-up and trials, and show
// only that the bytes took this path at all.
func accountSent(c *Case) []record.Account {
	var all []record.Account
	for _, at := range []struct {
		name, counter string
		side          Side
	}{{"sent", "tx", c.Sender}, {"received", "rx", c.Receiver}} {
		if at.side.Port == nil || method.Named(c.Exp.Method).RoundTrips {
			continue
		}
		nic := at.side.Port.Interface
		a := record.Account{Name: at.name, Unit: "bytes",
			Left: record.Entry{What: fmt.Sprintf("payload %s on %s", wayOf(at.counter), nic), Host: at.side.Host,
				Source: "counters of " + nic},
			Right: record.Entry{What: "measured by the experiment", Host: c.Receiver.Host, Source: "goodput of repeat 1"}}
		c.bytes(&a, at.side, at.counter)
		all = append(all, a)
	}
	return all
}

func (c *Case) bytes(a *record.Account, side Side, counter string) {
	first, last, why := c.inInterval(side)
	whole := why != ""
	if whole {
		if first, last = side.Shots.Before, side.Shots.After; first == nil || last == nil {
			open(a, side.Host+": its counters around the measurement were not read")
			return
		}
	}
	payload, seconds, missing := c.payload(side, counter, first, last)
	if missing != "" {
		open(a, missing)
		return
	}
	a.Left.Value = &payload
	if whole {
		a.Right.What, a.Right.Source = "measured in the steady intervals", "goodput of all repeats"
		a.Right.Value = new(c.IntervalBytes())
		c.bytesAround(a, why)
		return
	}
	a.Seconds = &seconds
	a.Right.Value = new(GoodputOf(&c.Exp.Repeats[0], c.Direction) / 8 * seconds)
	settle(a, false)
	said := fmt.Sprintf("%s %s %s of payload on %s in %s, and %s were measured", side.Host, wayOf(counter),
		unit.Bytes(payload), side.Port.Interface, unit.Seconds(seconds), unit.Bytes(*a.Right.Value))
	within := math.Abs(*a.Difference) <= c.looksOpen(seconds)
	if within {
		*a.Closes = true
	}
	switch {
	case *a.Closes && within && (*a.Difference < 0 || *a.Share > AccountTolerance):
		a.Sentence = said + ", which is the same within what two looks at a counter can tell."
	case *a.Closes && *a.Difference < 0:
		a.Sentence = said + fmt.Sprintf(", which is the same within %s.", unit.Percent(AccountTolerance))
	case *a.Closes:
		a.Sentence = said + "."
	case *a.Difference > 0 && c.retransmittedBytes():
		a.Sentence = fmt.Sprintf("%s: %s were other traffic of the same interface, or retransmitted.", said,
			Rate(*a.Difference*8/seconds))
	case *a.Difference > 0:
		a.Sentence = fmt.Sprintf("%s: %s were other traffic of the same interface.", said, Rate(*a.Difference*8/seconds))
	default:
		a.Sentence = said + ": the rest went another way, or the rate was another one between the looks than over the " +
			"whole interval."
	}
}

// lookTakes is the longest time between reading the clock and the counters for a snapshot on a busy host, in seconds.
const lookTakes = 0.1

// looksOpen returns the uncertainty, in bytes, of two snapshots this many seconds apart: the rate between them may
// differ from that of the whole interval, and each counter was read a little later than its clock, which is at most the
// rest of the interval.
func (c *Case) looksOpen(seconds float64) float64 {
	r := &c.Exp.Repeats[0]
	mean := GoodputOf(r, c.Direction)
	bits := mean * min(lookTakes, max(0, r.Seconds-seconds))
	if least, most, known := c.parts(seconds); known {
		bits += max(most-mean, mean-least, 0) * seconds
	}
	return bits / 8
}

// retransmittedBytes reports whether anything was retransmitted, or may have been.
func (c *Case) retransmittedBytes() bool {
	if c.OverUDP() {
		return false
	}
	r, why := c.Retransmitted()
	return why != "" || r.All >= 0.5
}

func wayOf(counter string) string { return map[string]string{"tx": "sent", "rx": "received"}[counter] }

// bytesAround judges counts over a longer time than the measurement: less than measured is certain, more may be
// warm-up.
func (c *Case) bytesAround(a *record.Account, why string) {
	passed, measured := *a.Left.Value, *a.Right.Value
	if passed < (1-AccountTolerance)*measured {
		settle(a, false)
		a.Sentence = fmt.Sprintf("%s: only %s of %s, and %s were measured: the rest went another way, or the counters "+
			"were not read around all of it.", a.Left.Host, unit.Bytes(passed), a.Left.What, unit.Bytes(measured))
		return
	}
	a.Difference = new(passed - measured)
	open(a, why+"; those before and after it have warm-up and trials in them, too")
}

// inInterval returns the first and last snapshots in the steady interval of the first repeat. It omits a late one after
// the interval, taken on a busy host.
func (c *Case) inInterval(side Side) (first, last *facts.Facts, why string) {
	during := side.Shots.During
	if len(c.Exp.Repeats) == 0 || len(during) < 2 {
		return nil, nil, fmt.Sprintf("%s has %d snapshots in the steady interval, and two are needed", side.Host, len(during))
	}
	interval := c.Exp.Repeats[0].Seconds
	for i := len(during) - 1; i > 0; i-- {
		s, w := ElapsedSeconds(during[0], during[i])
		if w != "" {
			return nil, nil, side.Host + ": " + w
		}
		if s <= 0.9*interval {
			if s < 0.2*interval {
				break
			}
			return during[0], during[i], ""
		}
	}
	return nil, nil, side.Host + ": its snapshots are not surely within the steady interval"
}

// payload returns the bytes of an interface between two snapshots, without headers, and at the sender without
// retransmits.
func (c *Case) payload(side Side, counter string, a, b *facts.Facts) (bytes, seconds float64, why string) {
	nic := side.Port.Interface
	all, why := side.Shots.GrowthOf(nic, counter+"_bytes", a, b)
	if why != "" {
		return 0, 0, fmt.Sprintf("%s: %s_bytes of %s: %s", side.Host, counter, nic, why)
	}
	packets, why := side.Shots.GrowthOf(nic, counter+"_packets", a, b)
	if why != "" {
		return 0, 0, fmt.Sprintf("%s: %s_packets of %s: %s", side.Host, counter, nic, why)
	}
	header := FrameHeaders(side.Port.Address.Addr().String())
	if c.OverUDP() {
		header -= 24 // 8 of UDP instead of 32 of TCP
	}
	bytes = all.Net - packets.Net*header
	if counter == "tx" && !c.OverUDP() {
		again, w := side.Shots.GrowthOf("", "Tcp.RetransSegs", a, b)
		mss, ok := c.Median(false, Integer(func(s *record.Socket) *int64 { return s.MSS }))
		if w == "" && ok {
			bytes -= again.Net * mss
		}
	}
	return max(0, bytes), all.Seconds, ""
}
