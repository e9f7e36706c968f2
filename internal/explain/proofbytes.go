package explain

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// What a packet has on the wire beside its payload, as devices count it. The least: Ethernet's 14 bytes, IPv4's 20 and UDP's 8, without the
// check sum that some leave out. The most: 14 with a tag of 4 and a check sum of 4, IPv6's 40, and then TCP's 20 with 12 of time stamps, or RoCE's UDP of 8, BTH of
// 12, RETH of 16 and ICRC of 4.
const (
	leastFraming = 14 + 20 + 8
	mostFraming  = 14 + 4 + 4 + 40 + max(20+12, 8+12+16+4)
	// bytesSlack is what may be missing or more for what is no data: openings of connections, acknowledgements that both ways share, and
	// cards that bring their counters up to date once a second or so, of ten. A stream that is sorted into another class is off by all of
	// itself: each sender's port is held by itself.
	bytesSlack = 0.01
)

// bytes holds the class's counters of bytes against what was sent in it: at every sender and where each switch sends it out, where the class's
// queue is. What a receiver or a switch's other ports count is looked at where it is there.
func (p *proving) bytes() *record.ProofTest {
	t := proofTest(record.ProofBytes, "the class's counters of bytes have what was sent in it", "")
	proofUnknown(t, p.unread...)
	var wrong []string
	for _, port := range p.ports {
		low, high, why := p.framed(port.flows)
		if why != "" {
			proofUnknown(t, why)
			continue
		}
		what := facts.ClassBytesReceived
		if port.out() {
			what = facts.ClassBytesSent
		}
		c, why := port.count(what, port.class)
		if why != "" {
			if port.out() {
				proofUnknown(t, why)
			}
			continue
		}
		c.Low, c.High = &low, &high
		t.Counters = append(t.Counters, c)
		if got := float64(grewBy(c)); got < low || got > high {
			text := fmt.Sprintf("%s counted %s in priority %d, and %s to %s were sent in it", port, unit.Bytes(got), port.class, unit.Bytes(low), unit.Bytes(high))
			if other := p.elsewhere(port, what, low); got < low && other != "" {
				text += " (" + other + ")"
			} else if got > high {
				if sum := p.payload(true); sum != nil && got >= high+0.5*float64(*sum)*p.shareOf(port) {
					text += ": the best effort beside it was counted in it, too"
				}
			}
			wrong = append(wrong, text)
		}
	}
	if sent := p.payload(false); sent != nil {
		t.Want = unit.Bytes(*sent).String() + " of payload with its headers, within 1 %"
	}
	switch {
	case len(wrong) > 0:
		proofFails(t)
		t.Have = strings.Join(wrong, "; ")
	case t.Passed == nil:
		t.Have = "not known"
	default:
		t.Have = fmt.Sprintf("%d counters have what was sent", len(t.Counters))
	}
	return t
}

// shareOf is the part of the senders whose traffic goes through a port.
func (p *proving) shareOf(port proofPort) float64 {
	n := 0
	for _, f := range p.flows {
		if !f.beside {
			n++
		}
	}
	return float64(len(port.flows)) / float64(max(1, n))
}

// framed is between what the bytes of flows are on the wire, as a port counts them: from what came in to what was sent, which are apart by
// what was cut off at the end.
func (p *proving) framed(flows []int) (low, high float64, why string) {
	for _, i := range flows {
		f := p.flows[i]
		if f.sent == nil || f.received == nil || f.packets == nil {
			return 0, 0, fmt.Sprintf("%s -> %s: how many bytes were sent in the class: %s", f.from, f.to, f.why)
		}
		low += float64(min(*f.received, *f.sent)) + float64(*f.packets)*leastFraming
		high += float64(max(*f.received, *f.sent)) + float64(*f.packets)*mostFraming
	}
	return low * (1 - bytesSlack), high * (1 + bytesSlack), ""
}

// elsewhere says in which priority of a port the bytes are that the class's does not have.
func (p *proving) elsewhere(port proofPort, what facts.ClassCounted, low float64) string {
	for class := range 8 {
		if class == port.class {
			continue
		}
		if c, why := port.count(what, class); why == "" && float64(grewBy(c)) >= low {
			return fmt.Sprintf("%s are in priority %d", unit.Bytes(grewBy(c)), class)
		}
	}
	return ""
}

// unmarked says whether all that a sender sent in the class was counted in another priority.
func (p *proving) unmarked() bool {
	for _, port := range p.ports {
		if port.at != atSenders {
			continue
		}
		low, _, why := p.framed(port.flows)
		c, w := port.count(facts.ClassBytesSent, port.class)
		if why == "" && w == "" && float64(grewBy(c)) < low/2 && p.elsewhere(port, facts.ClassBytesSent, low) != "" {
			return true
		}
	}
	return false
}
