package explain

import (
	"fmt"
	"math"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// accountSent holds the payload that passed the planned interface at each end against what the experiment measured in the same time: what is
// more is other traffic of the interface, what is less went another way. The time is between the captures inside the steady window; where
// there are none, the captures before and after have warm-up and trials in them and show no more than that the bytes came this way at all.
func accountSent(c *Case) []record.Account {
	var all []record.Account
	for _, at := range []struct {
		name, counter string
		side          Side
	}{{"sent", "tx", c.Sender}, {"received", "rx", c.Receiver}} {
		if at.side.Port == nil || c.Exp.Method == "ping" {
			continue
		}
		nic := at.side.Port.Interface
		a := record.Account{Name: at.name, Unit: "bytes",
			Left:  record.Entry{What: fmt.Sprintf("payload %s on %s", wayOf(at.counter), nic), Host: at.side.Host, Source: "counters of " + nic},
			Right: record.Entry{What: "measured by the experiment", Host: c.Receiver.Host, Source: "goodput of repeat 1"}}
		c.bytes(&a, at.side, at.counter)
		all = append(all, a)
	}
	return all
}

func (c *Case) bytes(a *record.Account, side Side, counter string) {
	first, last, why := c.inWindow(side)
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
		a.Right.What, a.Right.Source = "measured in the steady windows", "goodput of all repeats"
		a.Right.Value = ptr(c.windowBytes())
		c.bytesAround(a, why)
		return
	}
	a.Seconds = &seconds
	a.Right.Value = ptr(along(&c.Exp.Repeats[0], c.direction) / 8 * seconds)
	settle(a, false)
	said := fmt.Sprintf("%s %s %s of payload on %s in %s, and %s were measured", side.Host, wayOf(counter), unit.Bytes(payload), side.Port.Interface, unit.Seconds(seconds), unit.Bytes(*a.Right.Value))
	within := math.Abs(*a.Difference) <= c.looksOpen(seconds)
	if within {
		*a.Closes = true
	}
	switch {
	case *a.Closes && within && (*a.Difference < 0 || *a.Share > sameShare):
		a.Sentence = said + ", which is the same within what two looks at a counter can tell."
	case *a.Closes && *a.Difference < 0:
		a.Sentence = said + fmt.Sprintf(", which is the same within %s.", unit.Percent(sameShare))
	case *a.Closes:
		a.Sentence = said + "."
	case *a.Difference > 0 && c.sentAgain():
		a.Sentence = fmt.Sprintf("%s: %s were other traffic of the same interface, or sent again.", said, rate(*a.Difference*8/seconds))
	case *a.Difference > 0:
		a.Sentence = fmt.Sprintf("%s: %s were other traffic of the same interface.", said, rate(*a.Difference*8/seconds))
	default:
		a.Sentence = said + ": the rest went another way, or the rate was another one between the looks than over the whole window."
	}
}

// lookTakes is how far into a look at a busy host its counters are read at most, after the clock that is told with them.
const lookTakes = 0.1

// looksOpen is how many bytes two looks so many seconds apart leave open: the rate between them was not that of the whole window, and each
// counter was read a little after its clock, which is no more than the window has on both sides of them.
func (c *Case) looksOpen(seconds float64) float64 {
	r := &c.Exp.Repeats[0]
	mean := along(r, c.direction)
	bits := mean * min(lookTakes, max(0, r.Seconds-seconds))
	if least, most, known := c.parts(seconds); known {
		bits += max(most-mean, mean-least, 0) * seconds
	}
	return bits / 8
}

// sentAgain says whether anything was sent again, or may have been.
func (c *Case) sentAgain() bool {
	if c.overUDP() {
		return false
	}
	r, why := c.retransmitted()
	return why != "" || r.All >= 0.5
}

func wayOf(counter string) string { return map[string]string{"tx": "sent", "rx": "received"}[counter] }

// bytesAround judges what was counted over a longer time than it was measured in: less than was measured is certain, more may be warm-up.
func (c *Case) bytesAround(a *record.Account, why string) {
	passed, measured := *a.Left.Value, *a.Right.Value
	if passed < (1-sameShare)*measured {
		settle(a, false)
		a.Sentence = fmt.Sprintf("%s: only %s of %s, and %s were measured: the rest went another way, or the counters were not read around all of it.", a.Left.Host, unit.Bytes(passed), a.Left.What, unit.Bytes(measured))
		return
	}
	a.Difference = ptr(passed - measured)
	open(a, why+"; those before and after it have warm-up and trials in them, too")
}

// inWindow are the captures farthest apart in the steady window of the first repeat. One that came late, because the host was busy, may lie
// behind the window, and is left out.
func (c *Case) inWindow(side Side) (first, last *facts.Facts, why string) {
	during := side.Shots.During
	if len(c.Exp.Repeats) == 0 || len(during) < 2 {
		return nil, nil, fmt.Sprintf("%s has %d captures in the steady window, and two are needed", side.Host, len(during))
	}
	window := c.Exp.Repeats[0].Seconds
	for i := len(during) - 1; i > 0; i-- {
		s, w := elapsed(during[0], during[i])
		if w != "" {
			return nil, nil, side.Host + ": " + w
		}
		if s <= 0.9*window {
			if s < 0.2*window {
				break
			}
			return during[0], during[i], ""
		}
	}
	return nil, nil, side.Host + ": its captures are not surely within the steady window"
}

// payload is what an interface carried between two captures without headers, and at the sender without what was sent again.
func (c *Case) payload(side Side, counter string, a, b *facts.Facts) (bytes, seconds float64, why string) {
	nic := side.Port.Interface
	all, why := side.Shots.growthOf(nic, counter+"_bytes", a, b)
	if why != "" {
		return 0, 0, fmt.Sprintf("%s: %s_bytes of %s: %s", side.Host, counter, nic, why)
	}
	packets, why := side.Shots.growthOf(nic, counter+"_packets", a, b)
	if why != "" {
		return 0, 0, fmt.Sprintf("%s: %s_packets of %s: %s", side.Host, counter, nic, why)
	}
	header := frameHeaders(side.Port.Address.Addr().String())
	if c.overUDP() {
		header -= 24 // 8 of UDP in place of 32 of TCP
	}
	bytes = all.Net - packets.Net*header
	if counter == "tx" && !c.overUDP() {
		again, w := side.Shots.growthOf("", "Tcp.RetransSegs", a, b)
		mss, ok := c.median(false, count(func(s *record.Socket) *int64 { return s.MSS }))
		if w == "" && ok {
			bytes -= again.Net * mss
		}
	}
	return max(0, bytes), all.Seconds, ""
}
