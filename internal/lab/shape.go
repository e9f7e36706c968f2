package lab

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
)

// What a frame costs on the wire beyond its IP packet, in bytes: header 14, FCS 4, preamble and start 8, gap 12. The
// kernel's token bucket counts the header alone.
const (
	wireOverhead = 38
	tbfOverhead  = 14
)

// shapedRate is the rate to give a token bucket so that full frames of this IP MTU take as long as on an Ethernet link
// of the speed: speed x scale x (MTU+14)/(MTU+38).
func shapedRate(speed unit.BitRate, scale float64, mtu int) unit.BitRate {
	return speed * unit.BitRate(scale) * unit.BitRate(mtu+tbfOverhead) / unit.BitRate(mtu+wireOverhead)
}

// Words are the token bucket that a wire of the lab has at each end, as tc takes it; empty: it has none.
func (s Segment) Words(scale float64) string {
	if s.Speed <= 0 {
		return ""
	}
	rate := shapedRate(s.Speed, scale, s.MTU)
	burst, queue := ceiling.Bucket(rate, s.MTU)
	return fmt.Sprintf("tbf rate %dbit burst %d limit %d", 8*int64(float64(rate)/8+0.5), burst, burst+queue)
}

// What soft RoCE has under way: of each of its queue pairs so many packets (RXE_INFLIGHT_SKBS_PER_QP_HIGH of Linux), and pairs for which there is room.
const (
	rocePackets = 64
	rocePairs   = 32
)

// roceQueue is the depth, in bytes, of the queue before the token bucket of a card that soft RoCE sends over. A card holds its queue pairs back and
// drops nothing of its own; rdma_rxe hands over what it has, and what a short queue drops costs it a time-out and, after some, the queue pair. TCP
// beside it does not fill the queue: the kernel bounds what a connection has in it.
func roceQueue(mtu int) uint32 { return rocePackets * rocePairs * uint32(mtu+tbfOverhead) }
