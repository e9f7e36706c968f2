package layout

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/design/plan"
)

// The overhead of a frame on the wire beyond its IP packet, in bytes: header 14, FCS 4, preamble and start 8, gap 12.
// The kernel's token bucket counts only the header.
const (
	wireOverhead = 38
	tbfOverhead  = 14
)

// ShapedRate returns the rate of a token bucket with which full frames of this IP MTU take as long as on an Ethernet
// link of the speed: speed x scale x (MTU+14)/(MTU+38).
func ShapedRate(speed unit.BitRate, scale float64, mtu int) unit.BitRate {
	return speed * unit.BitRate(scale) * unit.BitRate(mtu+tbfOverhead) / unit.BitRate(mtu+wireOverhead)
}

// Words returns the token bucket at each end of a lab's wire in tc's syntax; empty: there is none.
func (s Segment) Words(scale float64) string {
	if s.Speed <= 0 {
		return ""
	}
	rate := ShapedRate(s.Speed, scale, s.MTU)
	burst, queue := ceiling.Bucket(rate, s.MTU)
	return fmt.Sprintf("tbf rate %dbit burst %d limit %d", 8*int64(float64(rate)/8+0.5), burst, burst+queue)
}

// The packets that each queue pair of soft RoCE has in flight (RXE_INFLIGHT_SKBS_PER_QP_HIGH of Linux), and the number
// of pairs with room in the queue.
const (
	rocePackets = 64
	rocePairs   = 32
)

// RoCEQueue returns the depth, in bytes, of the queue before the token bucket of an interface with soft RoCE. A real
// NIC slows its queue pairs down and drops nothing. rdma_rxe sends without regard to the queue: a drop costs it a
// timeout, and several drops cost the queue pair. TCP does not fill the queue, because the kernel bounds each
// connection's share of it.
func RoCEQueue(mtu int) uint32 { return rocePackets * rocePairs * uint32(mtu+tbfOverhead) }

// scales are the scales of a lab, largest first.
func scales() []float64 {
	return []float64{1, 1. / 2, 1. / 4, 1. / 10, 1. / 20, 1. / 40, 1. / 100, 1. / 200, 1. / 400, 1. / 1000}
}

// Reserve is the factor between the machine's rate and that of all traffic at once. Two would be enough on an idle
// machine; the rest is for other processes.
const Reserve = 4

// ChooseScale returns the largest scale at which busy needs at most 1/reserve of what was calibrated, and whether
// there is one.
func ChooseScale(calibrated, busy unit.BitRate) (float64, bool) {
	all := scales()
	for _, s := range all {
		if float64(busy)*s <= float64(calibrated)/Reserve {
			return s, true
		}
	}
	return all[len(all)-1], false
}

// Segment is a wire of a lab: the interfaces at its two ends.
type Segment struct {
	Link  string // of the plan; empty for an unplugged port and a virtual function
	Speed unit.BitRate
	MTU   int
	Ends  [2]SegmentEnd
}

// SegmentEnd is an interface in a host or a switch.
type SegmentEnd struct {
	Host      string // or switch
	Interface string
	Bridge    string // of a switch: what the interface is a port of
}

// Segments returns the wires of a plan's lab.
func Segments(p *plan.Plan) []Segment {
	var out []Segment
	for _, w := range New(p).Wires {
		s := Segment{Link: w.Link, Speed: w.Speed, MTU: w.MTU}
		for i, e := range w.Ends {
			s.Ends[i] = SegmentEnd{Host: e.Host, Interface: e.Interface, Bridge: e.Bridge}
		}
		out = append(out, s)
	}
	return out
}
