package check

import (
	"fmt"

	"linerate/internal/record"
)

var checkCableLength = Check{
	ID:     "pfc-cable-length",
	Title:  "lossless ports of SONiC without a length of their cable",
	Why:    "SONiC reckons the room for what is still under way after a pause from speed and cable length; of a port without a length it keeps none",
	Worst:  record.Warning,
	Source: "sonic-net/SONiC doc/qos/dynamically-headroom-calculation.md; the command reference of sonic-utilities",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				n := &h.Facts.NICs[i]
				if n.Asked == nil || h.Facts.OS != "sonic" {
					continue
				}
				classes, why := n.Asked.PFC()
				length, known := n.Asked.Cable.Get()
				if why != "" || len(classes) == 0 || !known || length > 0 {
					continue
				}
				f := record.Finding{Severity: record.Warning, Subject: h.Name + ": " + n.Name, Have: "a lossless class, and no length of the cable", Want: "the cable's length, rounded up",
					Consequence: "no room is kept for what is under way when the port sends a pause: the lossless class loses packets",
					Fix:         fmt.Sprintf("sudo config interface cable_length %s 5m (or the next length that the cable fits into: 40m, 300m), then sudo config save", n.Name),
					Undo:        fmt.Sprintf("sudo config interface cable_length %s 0m", n.Name)}
				if p, ok := n.Asked.Proofs["cable"]; ok {
					f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line})
				}
				r.found(f, f.Subject)
			}
		}
	},
}
