package check

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkNoDriver = Check{
	ID:     "no-driver",
	Title:  "a driver for every network card",
	Why:    "a card that no driver takes has no interface: an old card that a new system has dropped, a new one that it does not know yet",
	Worst:  record.Error,
	Source: "pciconf(8): none0@; lspci(8)",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			driven := map[string]bool{} // a storage function beside a port that works is seldom wanted
			for _, d := range h.Facts.PCI {
				driven[facts.PCISlot(d.Address)] = driven[facts.PCISlot(d.Address)] || d.Driver != ""
			}
			told := map[string]bool{}
			for i := range h.Facts.PCI {
				d := &h.Facts.PCI[i]
				wired := strings.HasPrefix(d.Class, "0200") || strings.HasPrefix(d.Class, "0207") || strings.HasPrefix(d.Class, "0c04") || strings.HasPrefix(d.Class, "0c06")
				if !d.NoDriver || !wired || driven[facts.PCISlot(d.Address)] {
					continue
				}
				if told[facts.PCISlot(d.Address)] {
					continue // another function of the same card
				}
				told[facts.PCISlot(d.Address)] = true
				severity := record.Error
				if rate := named(d); rate > 0 && rate < 10e9 {
					severity = record.Warning
				}
				r.found(record.Finding{
					Severity: severity, Subject: fmt.Sprintf("%s: %s %s", h.Name, d.Address, d.Name),
					Have: "no driver", Want: "an interface", Evidence: []record.EvidenceLine{{Host: h.Name, Source: d.From, Line: d.HeadLine}},
					Consequence: "the card carries nothing",
					Fix:         findDriver.on(h, "at", d.Address, "id", d.Vendor+":"+d.Device),
				}, h.Name+": "+d.Address)
			}
		}
		driverEvents(w, r)
	},
}

// driverEvents are the cards of which only the log says that no driver took them, or that one failed at it.
func driverEvents(w *World, r *report) {
	for h, e := range w.events(facts.ProbeFailed) {
		if d := h.Facts.Device(e.Subject); d != nil && (d.NoDriver || d.Driver != "") {
			continue // what is so now is known, and told if it is still so
		}
		r.found(record.Finding{
			Severity: record.Error, Subject: subjectOf(h, e.Subject), Have: "the driver could not start the card" + inBrackets(e.Detail), Want: "an interface",
			Evidence: []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}}, Consequence: "the card carries nothing",
			Fix: "read the lines of the log before this one; the card's firmware and the driver must suit each other, and the slot must give power and address space",
		}, about(h, e.Subject)...)
	}
	for h, e := range w.events(facts.NoDriverFound) {
		if h.Facts.Device(e.Subject) != nil || strings.HasPrefix(e.Subject, "pci") && slices.ContainsFunc(h.Facts.PCI, func(d facts.PCIDevice) bool { return d.NoDriver }) {
			continue // the list of cards says which have none, by their own names
		}
		f := record.Finding{
			Severity: record.Warning, Subject: subjectOf(h, e.Subject), Have: "no driver" + inBrackets(e.Detail), Want: "an interface",
			Evidence: []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}}, Consequence: "the card carries nothing; which card it is is not in the log",
			Fix: "look which card it is (" + showCards.on(h) + "), and which driver takes it; load it",
		}
		if rate := rateOf(e.Detail); rate >= 10e9 || strings.Contains(strings.ToLower(e.Detail), "fibre channel") {
			f.Severity, f.Consequence = record.Error, "the card carries nothing"
		}
		r.found(f, about(h, e.Subject)...)
	}
}
