package lab

import (
	"fmt"

	"linerate/unit"
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
	burst, queue := Bucket(rate, s.MTU)
	return fmt.Sprintf("tbf rate %dbit burst %d limit %d", 8*int64(float64(rate)/8+0.5), burst, burst+queue)
}

// The depths were found by measuring, see Bucket.
const (
	burstSeconds     = 0.001
	queueSeconds     = 0.004
	slowBurstSeconds = 0.004
	slowQueueSeconds = 0.016
	superBurst       = 128 << 10 // bytes: a super-packet of 64 KiB with the headers of its segments, and room
	superQueue       = 512 << 10 // bytes: eight super-packets
	frameBurst       = 2         // frames
	frameQueue       = 16        // frames
)

// What soft RoCE has under way: of each of its queue pairs so many packets (RXE_INFLIGHT_SKBS_PER_QP_HIGH of Linux), and pairs for which there is room.
const (
	rocePackets = 64
	rocePairs   = 32
)

// roceQueue is the depth, in bytes, of the queue before the token bucket of a card that soft RoCE sends over. A card holds its queue pairs back and
// drops nothing of its own; rdma_rxe hands over what it has, and what a short queue drops costs it a time-out and, after some, the queue pair. TCP
// beside it does not fill the queue: the kernel bounds what a connection has in it.
func roceQueue(mtu int) uint32 { return rocePackets * rocePairs * uint32(mtu+tbfOverhead) }

// Bucket is the depth of a token bucket and of the queue before it, in bytes.
//
// The bucket holds one whole super-packet, else the kernel cuts it into frames in software, and one delay of the
// machine's timers and scheduler, else the time lost is never made up: with 0.1 ms instead of 1 ms, TCP at 10 Gb/s stayed
// at 80 % of its ceiling. Yet after a pause it lets as much pass above the rate, so it is short against a window: 1 ms is
// 0.1 % of a second. The queue keeps a stream's data at hand when both ends share a processor; it is also what a round
// trip waits under load. Below 260 Mb/s a super-packet takes longer than either: it is cut there, which costs little.
func Bucket(rate unit.BitRate, mtu int) (burst, queue uint32) {
	bytes, frame := float64(rate)/8, float64(mtu+tbfOverhead)
	burst = uint32(max(bytes*burstSeconds, min(superBurst, bytes*slowBurstSeconds), frameBurst*frame))
	queue = uint32(max(bytes*queueSeconds, min(superQueue, bytes*slowQueueSeconds), frameQueue*frame))
	return burst, queue
}
