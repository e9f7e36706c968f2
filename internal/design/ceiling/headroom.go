package ceiling

import (
	"fmt"
	"math"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
)

// Headroom is a switch's port with a lossless class, for PFCHeadroom.
type Headroom struct {
	Rate         unit.BitRate
	Metres       float64 // of the cable
	PortMTU      int     // bytes of the largest frame whose transmission may have begun
	LosslessMTU  int     // bytes of the largest packet of the lossless class
	Cell         int     // bytes of one cell of the switch's buffer
	SmallPackets float64 // share of packets that fill a little more than one cell, 0 to 1
	MACPHY       int     // bytes that pass while MAC and PHY process a pause frame
	Gearbox      float64 // bytes in transit in a gearbox, one way
	Xon          int     // bytes that arrive between the switch's signal to resume and the sender's
}

// UsualHeadroom is a port as in the SONiC project's example: frames of 9100 bytes, lossless packets of 1 KiB, cells of
// 96 bytes, and a Spectrum's Xon.
func UsualHeadroom(rate unit.BitRate, metres float64) Headroom {
	return Headroom{Rate: rate, Metres: metres, PortMTU: 9100, LosslessMTU: 1024, Cell: 96, MACPHY: 819, Xon: 19456}
}

// pauseQuanta is the longest time a sender may take to stop, in quanta of 512 bits at its rate in Gb/s (IEEE 802.3,
// 31B.3.7).
var pauseQuanta = []struct {
	gbps   float64
	quanta float64
}{{1, 2}, {10, 67}, {25, 80}, {40, 118}, {50, 147}, {100, 394}, {200, 453}, {400, 905}}

// inCable is the speed of a signal in a cable, in metres per second.
const inCable = 198e6

// PFCHeadroom estimates, in bytes, the buffer for one port's lossless class that loses nothing between a pause frame
// and the sender's stop: Xoff for what still arrives, and size = Xoff + Xon; both in whole KiB.
//
//	cells   = 1 - small + small * wcf       wcf = cell/64 above 128 bytes, else 2*cell/(1+cell)
//	passing = port MTU + 2 * (cable + gearbox) + MAC and PHY + quanta * 64
//	Xoff    = lossless MTU + passing * cells
//
// The formula and its constants are SONiC's (doc/qos, dynamically headroom calculation). It is an estimate, +-30 %.
// SONiC's table for the SN2700, made with other parameters, differs by no more than that up to 40 m, and is up to a
// third higher at 300 m. A rate between two of the table uses the faster one.
func PFCHeadroom(h Headroom) (xoff, size unit.Bytes, err error) {
	if err := allPositive(number{"rate", float64(h.Rate)}, number{"port MTU", float64(h.PortMTU)},
		number{"lossless MTU", float64(h.LosslessMTU)}, number{"cell", float64(h.Cell)}); err != nil {
		return 0, 0, err
	}
	for _, v := range []float64{h.Metres, h.SmallPackets, h.Gearbox, float64(h.MACPHY), float64(h.Xon)} {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
			return 0, 0, diag.Advise(fmt.Errorf("%v cannot be a length, a share or an amount of a headroom", v)).
				Note("it needs a finite number from 0")
		}
	}
	if h.SmallPackets > 1 {
		return 0, 0, diag.Advise(fmt.Errorf("a share of %v small packets", h.SmallPackets)).
			Note("a share is at most 1")
	}
	gbps := float64(h.Rate) / 1e9
	quanta := -1.0
	for _, q := range pauseQuanta {
		if gbps <= q.gbps {
			quanta = q.quanta
			break
		}
	}
	if quanta < 0 {
		return 0, 0, diag.Advise(fmt.Errorf("no pause time is known here for %s", h.Rate)).
			Note("the table of IEEE 802.3 that linerate has ends at 400 Gb/s")
	}
	cell := float64(h.Cell)
	wcf := 2 * cell / (1 + cell)
	if cell > 128 {
		wcf = cell / 64
	}
	cells := 1 - h.SmallPackets + h.SmallPackets*wcf
	cable := h.Metres / inCable * float64(h.Rate) / 8
	passing := float64(h.PortMTU) + 2*(cable+h.Gearbox) + float64(h.MACPHY) + quanta*512/8
	xoff = wholeKiB(float64(h.LosslessMTU) + passing*cells)
	return xoff, wholeKiB(float64(xoff) + float64(h.Xon)), nil
}

func wholeKiB(v float64) unit.Bytes { return unit.Bytes(math.Ceil(v/1024) * 1024) }
