package ceiling

import (
	"fmt"
	"math"
	"time"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// TCPWindow is the most that one connection carries with a TCP window: window / rtt. 64 KiB at 0.112 ms: 4.68 Gb/s.
func TCPWindow(tcpWindow unit.Bytes, rtt time.Duration) (Ceiling, error) {
	if err := allPositive(number{"the window", float64(tcpWindow)},
		number{"the round trip time", rtt.Seconds()}); err != nil {
		return Ceiling{}, err
	}
	return made(float64(tcpWindow)*8/rtt.Seconds(), "8 * window / rtt",
		declared("window", float64(tcpWindow)), declared("rtt", rtt.Seconds()))
}

// TCPWindowFor returns the TCP window that fills a rate at an RTT: the product of both.
func TCPWindowFor(rate unit.BitRate, rtt time.Duration) (unit.Bytes, error) {
	if err := allPositive(number{"the rate", float64(rate)}, number{"the round trip time", rtt.Seconds()}); err != nil {
		return 0, err
	}
	b := math.Ceil(float64(rate)*rtt.Seconds()/8 - 1e-6)
	if b > math.MaxInt64/2 {
		return 0, fmt.Errorf("a window for %v at %v has more bytes than a computer can count", rate, rtt)
	}
	return unit.Bytes(b), nil
}

// Loss is the throughput of Reno on a path that drops a share p of its packets: 8 * mss / rtt * 1.22 / sqrt(p) (M.
// Mathis et al., The macroscopic behavior of the TCP congestion avoidance algorithm, 1997). CUBIC is faster, mostly at
// long RTTs.
func Loss(mss unit.Bytes, rtt time.Duration, p float64) (Ceiling, error) {
	if err := allPositive(number{"the segment", float64(mss)}, number{"the round trip time", rtt.Seconds()},
		number{"the loss", p}); err != nil {
		return Ceiling{}, err
	}
	if p >= 1 {
		return Ceiling{}, diag.Advise(fmt.Errorf("a loss of %s leaves nothing", unit.ExactPercent(p)),
			"write a share below 100 %")
	}
	return made(8*float64(mss)/rtt.Seconds()*1.22/math.Sqrt(p), "8 * mss / rtt * 1.22 / sqrt(loss)",
		declared("mss", float64(mss)), declared("rtt", rtt.Seconds()), declared("loss", p))
}

// CPU is the most that one core carries if it spends perPacket seconds on every packet and perByte seconds on every
// byte of its payload: 8 * payload / (perPacket + perByte * payload).
func CPU(perPacket, perByte float64, payload unit.Bytes) (Ceiling, error) {
	if err := allPositive(number{"the time a packet", perPacket}, number{"the time a byte", perByte},
		number{"the payload", float64(payload)}); err != nil {
		return Ceiling{}, err
	}
	b := float64(payload)
	return made(8*b/(perPacket+perByte*b), "8 * payload / (per_packet + per_byte * payload)",
		record.Input{Name: "per_packet", Value: perPacket, Origin: record.Measured},
		record.Input{Name: "per_byte", Value: perByte, Origin: record.Measured}, declared("payload", b))
}

// Pipeline is the most that requests of a size carry with depth of them outstanding: 8 * depth * size / latency
// (Little's law).
func Pipeline(depth int, size unit.Bytes, latency time.Duration) (Ceiling, error) {
	if err := allPositive(number{"the queue depth", float64(depth)}, number{"the size", float64(size)},
		number{"the latency", latency.Seconds()}); err != nil {
		return Ceiling{}, err
	}
	return made(8*float64(depth)*float64(size)/latency.Seconds(), "8 * depth * size / latency",
		declared("depth", float64(depth)), declared("size", float64(size)), declared("latency", latency.Seconds()))
}

// Cost is the CPU time for moving data, in seconds of one core.
type Cost struct {
	PerPacket float64 // per packet, with its share of the acknowledgements
	PerByte   float64 // per byte of payload
}

// CPUCeiling is the goodput of one core that does nothing else, with packets of payload bytes: payload / (per packet +
// per byte x payload).
func CPUCeiling(c Cost, payload float64) (Ceiling, error) {
	if !(payload > 0) || !(c.PerPacket >= 0) || !(c.PerByte >= 0) || c.PerPacket+c.PerByte == 0 {
		return Ceiling{}, fmt.Errorf("CPU: %g s a packet and %g s a byte with packets of %g bytes: costs cannot be "+
			"negative or nothing at all", c.PerPacket, c.PerByte, payload)
	}
	return Ceiling{
		Rate:    unit.BitRate(8 * payload / (c.PerPacket + c.PerByte*payload)),
		Formula: "8 x payload / (per packet + per byte x payload)",
		Inputs: []record.Input{
			{Name: "per packet (s)", Value: c.PerPacket, Origin: record.Measured},
			{Name: "per byte (s)", Value: c.PerByte, Origin: record.Measured},
			{Name: "payload (bytes)", Value: payload, Origin: record.Measured},
		},
	}, nil
}
