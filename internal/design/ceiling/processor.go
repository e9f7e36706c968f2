package ceiling

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Cost is the processor time that moving data takes, in seconds of one core.
type Cost struct {
	PerPacket float64 // of a packet, with its share of the acknowledgements
	PerByte   float64 // of a byte of payload
}

// Processor is the goodput that one core carries when it does nothing else, with packets of payload bytes:
// payload / (per packet + per byte x payload).
func Processor(c Cost, payload float64) (Ceiling, error) {
	if !(payload > 0) || !(c.PerPacket >= 0) || !(c.PerByte >= 0) || c.PerPacket+c.PerByte == 0 {
		return Ceiling{}, fmt.Errorf("processor: %g s a packet and %g s a byte with packets of %g bytes: costs cannot be negative or nothing at all", c.PerPacket, c.PerByte, payload)
	}
	return Ceiling{Rate: unit.BitRate(8 * payload / (c.PerPacket + c.PerByte*payload)),
		Formula: "8 x payload / (per packet + per byte x payload)",
		Inputs: []record.Input{{Name: "per packet (s)", Value: c.PerPacket, Origin: record.Measured}, {Name: "per byte (s)", Value: c.PerByte, Origin: record.Measured},
			{Name: "payload (bytes)", Value: payload, Origin: record.Measured}}}, nil
}
