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

// Bucket returns the depth of the token bucket that limits a link of a lab to its rate, and of the queue before it, in
// bytes.
//
// The bucket holds one whole super-packet; with less, the kernel cuts it into frames in software. It also covers one
// delay of the machine's timers and scheduler; with less, the lost time is never made up: with 0.1 ms instead of 1 ms,
// TCP at 10 Gb/s stayed at 80 % of its ceiling. After a pause the bucket passes as much above the rate, so it must be
// short compared with an interval: 1 ms is 0.1 % of a second. The queue keeps data of a stream ready when both ends
// share a CPU. It also adds to the RTT under load. Below 260 Mb/s a super-packet takes longer than either and is cut,
// which costs little.
func Bucket(rate unit.BitRate, mtu int) (burst, queue uint32) {
	bytes, frame := float64(rate)/8, float64(mtu+ethernetHeader)
	burst = uint32(max(bytes*burstSeconds, min(superBurst, bytes*slowBurstSeconds), frameBurst*frame))
	queue = uint32(max(bytes*queueSeconds, min(superQueue, bytes*slowQueueSeconds), frameQueue*frame))
	return burst, queue
}
