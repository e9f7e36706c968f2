package check

import (
	"fmt"
	"strings"

	"linerate/facts"
	"linerate/plan"
)

var checkNoDriver = Check{
	ID:     "no-driver",
	Title:  "a driver for every network card",
	Why:    "a card that no driver takes has no interface: an old card that a new system has dropped, a new one that it does not know yet",
	Worst:  plan.Error,
	Source: "pciconf(8): none0@; lspci(8)",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			driven := map[string]bool{} // a storage function beside a port that works is seldom wanted
			for _, d := range h.Facts.PCI {
				driven[facts.PCISlot(d.Address)] = driven[facts.PCISlot(d.Address)] || d.Driver != ""
			}
			for i := range h.Facts.PCI {
				d := &h.Facts.PCI[i]
				wired := strings.HasPrefix(d.Class, "0200") || strings.HasPrefix(d.Class, "0207") || strings.HasPrefix(d.Class, "0c04") || strings.HasPrefix(d.Class, "0c06")
				if !d.NoDriver || !wired || driven[facts.PCISlot(d.Address)] {
					continue
				}
				r.found(Finding{
					Severity: plan.Error, Subject: fmt.Sprintf("%s: %s %s", h.Name, d.Address, d.Name),
					Have: "no driver", Want: "an interface", Evidence: []Evidence{{h.Name, d.From, d.HeadLine}},
					Consequence: "the card carries nothing",
					Fix:         fmt.Sprintf("look which driver takes %s:%s on this system (linerate parts %s:%s), and load it", d.Vendor, d.Device, d.Vendor, d.Device),
				}, h.Name+": "+d.Address)
			}
		}
	},
}
