package proof

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// The overhead of a packet in bytes, as devices count it. The smallest is 14 for Ethernet, 20 for IPv4 and 8 for UDP,
// without the frame check sequence, which some devices do not count. The largest is 14 for Ethernet with 4 for a tag
// and 4 for the frame check sequence, 40 for IPv6, and then 20 for TCP with 12 for timestamps, or for RoCE 8 for UDP,
// 12 for BTH, 16 for RETH and 4 for ICRC.
const (
	leastFraming = 14 + 20 + 8
	mostFraming  = 14 + 4 + 4 + 40 + max(20+12, 8+12+16+4)
	// bytesSlack is the allowed difference, as a share, for everything that is not data: connection setup,
	// acknowledgements, and NICs that update their counters about once a second. A stream in a wrong class differs by all
	// of its bytes, because each sender's port is compared on its own.
	bytesSlack = 0.01
)

// bytes compares the byte counters of the class with the bytes that were sent in it: at every sender, and at each
// switch's egress port, which has the queue of the class. The counters of the receiver and of a switch's ingress ports
// are used where they exist.
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
		c, why := port.Count(what, port.class)
		if why != "" {
			if port.out() {
				proofUnknown(t, why)
			}
			continue
		}
		c.Low, c.High = &low, &high
		t.Counters = append(t.Counters, c)
		if got := float64(CounterGrowth(c)); got < low || got > high {
			text := fmt.Sprintf("%s counted %s in priority %d, and %s to %s were sent in it", port, unit.Bytes(got), port.class,
				unit.Bytes(low), unit.Bytes(high))
			if other := p.elsewhere(port, what, low); got < low && other != "" {
				text += " (" + other + ")"
			} else if got > high {
				if sum := p.payload(true); sum != nil && got >= high+0.5*float64(*sum)*p.shareOf(port) {
					text += ": the best effort next to it was counted in it, too"
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

// shareOf returns the share of the senders whose traffic goes through a port.
func (p *proving) shareOf(port Port) float64 {
	n := xslices.Count(p.flows, func(f proofFlow) bool { return !f.background })
	return float64(len(port.flows)) / float64(max(1, n))
}

// framed returns the range of the flows' bytes on the wire, as a port counts them: from the received to the sent bytes,
// which differ by what was in flight at the end.
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

// elsewhere names the priority of a port that has the bytes which the class's does not have.
func (p *proving) elsewhere(port Port, what facts.ClassCounted, low float64) string {
	for class := range 8 {
		if class == port.class {
			continue
		}
		if c, why := port.Count(what, class); why == "" && float64(CounterGrowth(c)) >= low {
			return fmt.Sprintf("%s are in priority %d", unit.Bytes(CounterGrowth(c)), class)
		}
	}
	return ""
}

// unmarked reports whether all bytes that a sender sent in the class were counted in another priority.
func (p *proving) unmarked() bool {
	for _, port := range p.ports {
		if port.at != atSenders {
			continue
		}
		low, _, why := p.framed(port.flows)
		c, w := port.Count(facts.ClassBytesSent, port.class)
		if why == "" && w == "" && float64(CounterGrowth(c)) < low/2 && p.elsewhere(port, facts.ClassBytesSent, low) != "" {
			return true
		}
	}
	return false
}
