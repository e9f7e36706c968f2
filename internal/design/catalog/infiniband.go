package catalog

import "linerate/internal/base/unit"

// IBRate is an InfiniBand data rate by its name: sdr, ddr, qdr, fdr, edr, hdr.
type IBRate string

// ibRates hold the signalling and data rate of four lanes. SDR to QDR carry 8
// bits in 10, from FDR on 64 in 66 (InfiniBand Architecture Specification).
var ibRates = map[IBRate]struct{ signal, data unit.BitRate }{
	"sdr": {10e9, 8e9},
	"ddr": {20e9, 16e9},
	"qdr": {40e9, 32e9},
	"fdr": {56.25e9, 56.25e9 * 64 / 66},
	"edr": {103.125e9, 100e9},
	"hdr": {212.5e9, 200e9},
}

// Known says whether r is a rate of the table.
func (r IBRate) Known() bool { _, ok := ibRates[r]; return ok }

// Signalling is what the four lanes carry, line code included; 0 for an unknown name.
func (r IBRate) Signalling() unit.BitRate { return ibRates[r].signal }

// Data is what the line code leaves for packets; 0 for an unknown name.
func (r IBRate) Data() unit.BitRate { return ibRates[r].data }
