package ceiling

import "linerate/internal/base/unit"

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

// Bucket is the depth of the token bucket by which a lab holds a link to its rate, and of the queue before it, in bytes.
//
// The bucket holds one whole super-packet, else the kernel cuts it into frames in software, and one delay of the
// machine's timers and scheduler, else the time lost is never made up: with 0.1 ms instead of 1 ms, TCP at 10 Gb/s stayed
// at 80 % of its ceiling. Yet after a pause it lets as much pass above the rate, so it is short against a window: 1 ms is
// 0.1 % of a second. The queue keeps a stream's data at hand when both ends share a processor; it is also what a round
// trip waits under load. Below 260 Mb/s a super-packet takes longer than either: it is cut there, which costs little.
func Bucket(rate unit.BitRate, mtu int) (burst, queue uint32) {
	bytes, frame := float64(rate)/8, float64(mtu+ethernetHeader)
	burst = uint32(max(bytes*burstSeconds, min(superBurst, bytes*slowBurstSeconds), frameBurst*frame))
	queue = uint32(max(bytes*queueSeconds, min(superQueue, bytes*slowQueueSeconds), frameQueue*frame))
	return burst, queue
}
