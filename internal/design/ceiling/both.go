package ceiling

import (
	"fmt"
	"strconv"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
)

// DelayedAck is the number of segments per acknowledgement of a receiver that does not merge segments: one
// acknowledgement for at least every second full segment (RFC 9293 section 3.8.6.3, RFC 5681 section 4.2). Receivers
// that merge segments before TCP (GRO, LRO) acknowledge once per merged one, up to 64 KiB: pass the measured number of
// segments per acknowledgement instead.
const DelayedAck = 2

// TCPBothWays is the most TCP payload in EACH direction when separate connections fill both at once. Each direction
// also carries one acknowledgement without data for ackEvery segments of the other one:
//
//	rate * segment / (wire + ack / ackEvery)
//
// segment and wire as in TCPOverEthernet; ack is the acknowledgement on the wire (at least 84 bytes, 90 with
// timestamps). Connections that send in both directions carry their acknowledgements in data segments: use
// TCPOverEthernet for them. The ceiling is only as good as ackEvery, which is one of its inputs.
func TCPBothWays(rate unit.BitRate, e Ethernet, ackEvery int) (Ceiling, error) {
	if err := e.usable(rate); err != nil {
		return Ceiling{}, err
	}
	if err := checkAckEvery(ackEvery); err != nil {
		return Ceiling{}, err
	}
	ack := e.AckWire()
	return made(float64(rate)*float64(e.Segment())/(float64(e.Wire())+float64(ack)/float64(ackEvery)),
		"rate * "+e.payloadFormula()+" / ("+e.wireFormula()+" + ack / segments_per_ack)", declared("rate", float64(rate)),
		declared("mtu", float64(e.MTU)), assumed("ack", float64(ack)), assumed("segments_per_ack", float64(ackEvery)))
}

// TCPThroughShaper is the most TCP payload behind a Linux tbf shaper of the rate. The shaper counts the IP packet and
// 14 bytes of header, but not frame check, preamble and gap (measured: 1514 bytes a packet at MTU 1500, with and
// without segmentation offload). It is assumed not to count a VLAN tag, because the kernel keeps the tag next to the
// packet if the interface inserts tags; this was not measured.
//
//	rate * (MTU - 40 - 12 with timestamps) / (MTU + 14)
func TCPThroughShaper(rate unit.BitRate, e Ethernet) (Ceiling, error) {
	if err := e.usable(rate); err != nil {
		return Ceiling{}, err
	}
	return made(float64(rate)*float64(e.Segment())/float64(e.MTU+ethernetHeader),
		"rate * "+e.payloadFormula()+" / (mtu + "+strconv.Itoa(ethernetHeader)+")",
		declared("rate", float64(rate)), declared("mtu", float64(e.MTU)))
}

// TCPBothWaysThroughShaper is TCPBothWays behind tbf shapers of the rate in both directions. The shaper counts an
// acknowledgement as its packet and 14 bytes, without padding.
func TCPBothWaysThroughShaper(rate unit.BitRate, e Ethernet, ackEvery int) (Ceiling, error) {
	if err := e.usable(rate); err != nil {
		return Ceiling{}, err
	}
	if err := checkAckEvery(ackEvery); err != nil {
		return Ceiling{}, err
	}
	ack := ethernetHeader + e.ip() + tcpHeader + e.options()
	return made(float64(rate)*float64(e.Segment())/(float64(e.MTU+ethernetHeader)+float64(ack)/float64(ackEvery)),
		"rate * "+e.payloadFormula()+" / (mtu + "+strconv.Itoa(ethernetHeader)+" + ack / segments_per_ack)",
		declared("rate", float64(rate)), declared("mtu", float64(e.MTU)),
		assumed("ack", float64(ack)), assumed("segments_per_ack", float64(ackEvery)))
}

// ShaperRate returns the rate of a tbf shaper that passes full packets of the MTU as fast as an Ethernet link of the
// given rate: rate * (MTU + 14) / (MTU + 38).
func ShaperRate(rate unit.BitRate, mtu int) (unit.BitRate, error) {
	if err := (Ethernet{MTU: mtu}).usable(rate); err != nil {
		return 0, err
	}
	return rate * unit.BitRate(mtu+ethernetHeader) / unit.BitRate(mtu+wireOverhead), nil
}

func checkAckEvery(n int) error {
	if n < 1 {
		return diag.Advise(fmt.Errorf("%d segments an acknowledgement: TCP sends at least one segment for one", n),
			fmt.Sprintf("use %d, or what was measured", DelayedAck))
	}
	return nil
}
