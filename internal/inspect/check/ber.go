package check

import (
	"fmt"

	"linerate/internal/record"
)

// mostRawBER is the rate of wrong bits before FEC from which on what is left to correct with is small: RS-FEC of 802.3 is made for
// up to 2e-4 or so, and cables and modules are specified for 1e-5 and less.
const mostRawBER = 1e-5

// rawBitErrors looks at the rate of wrong bits that cards of NVIDIA measure before FEC.
func rawBitErrors(w *World, r *report) {
	for _, h := range w.Hosts {
		for _, y := range h.Facts.Phys {
			rate, known := y.RawBER.Get()
			if p := y.Proofs["raw"]; known && rate > mostRawBER {
				f := record.Finding{Severity: record.Warning, Subject: h.Name + ": port " + y.Device, Have: fmt.Sprintf("of %.0f bits one is wrong before FEC", 1/rate),
					Want: "one of 100000 at most", Evidence: []record.EvidenceLine{{Host: h.Name, Source: p.Source, Line: p.Line}},
					Consequence: "FEC still corrects it, with little left for a warmer day",
					Fix:         "clean or change the plugs, then the cable, then the modules, one after another; mlxlink -d DEVICE -c --pc clears the counters to look again"}
				r.found(f, h.Name+": "+y.Device)
			}
		}
	}
}
