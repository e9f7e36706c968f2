package check

import (
	"fmt"

	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkFirmwareAvailable = Check{
	ID:     "firmware-available",
	Title:  "firmware of a card against the one that its tool has at hand",
	Why:    "a later release mends faults of links and of RDMA; whether one of them is here its notes say",
	Worst:  record.Info,
	Source: "NVIDIA, MFT manual: mlxfwmanager",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for _, c := range h.Facts.CardFirmware {
				if c.Current == "" || c.Available == "" || !facts.NewerFirmware(c.Available, c.Current) {
					continue
				}
				f := record.Finding{
					Severity: record.Info, Subject: h.Name + ": card " + c.Type, Have: "firmware " + c.Current, Want: c.Available + ", which the tool has at hand",
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: c.Source, Line: c.Line}},
					Consequence: "nothing that is known; look into the notes of the releases between for what is wrong here, and leave a card that does what it should",
					Fix:         "mlxfwmanager -u, then restart the machine or mlxfwreset reset (the card's links go down)",
					Undo:        fmt.Sprintf("mlxfwmanager -u -f -i with the image of %s", c.Current),
				}
				if c.Device != "" {
					f.Subject += " at " + c.Device
					device := quoted("linux", c.Device)
					f.Fix = fmt.Sprintf("mlxfwmanager -d %s -u, then restart the machine or mlxfwreset -d %s reset (the card's links go down)", device, device)
					f.Undo = fmt.Sprintf("mlxfwmanager -d %s -u -f -i with the image of %s", device, c.Current)
				}
				if c.Status.Line != "" {
					f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: c.Status.Source, Line: c.Status.Line})
				}
				r.found(f, f.Subject)
			}
		}
	},
}
