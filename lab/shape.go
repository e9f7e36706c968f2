package lab

import "linerate/unit"

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

// A bucket must hold one whole super-packet (64 KiB and the headers of its segments), else the kernel cuts it into frames
// in software, and one scheduling delay of the machine's timers, else the time lost is never made up.
const (
	minBurst     = 128 << 10 // bytes
	burstSeconds = 0.001
	queueSeconds = 0.004
	minQueue     = 512 << 10 // bytes: eight super-packets
)

// bucket is the depth of a token bucket and of the queue before it, in bytes.
func bucket(rate unit.BitRate) (burst, queue uint32) {
	bytes := float64(rate) / 8
	return uint32(max(minBurst, bytes*burstSeconds)), uint32(max(minQueue, bytes*queueSeconds))
}
