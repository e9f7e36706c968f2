package pcie

import (
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// NoDriver checks that every network adapter has a driver.
var NoDriver = check.Check{
	ID:    "no-driver",
	Title: "a driver for every NIC",
	Why: "a NIC that no driver takes has no interface: an old NIC that a new system has dropped, a new one that " +
		"it does not know yet",
	Worst:  record.Error,
	Source: "pciconf(8): none0@; lspci(8)",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			driven := map[string]bool{} // a storage function next to a working port is seldom used
			for _, d := range h.Facts.PCI {
				driven[facts.PCISlot(d.Address)] = driven[facts.PCISlot(d.Address)] || d.Driver != ""
			}
			reported := map[string]bool{}
			for i := range h.Facts.PCI {
				d := &h.Facts.PCI[i]
				wired := strings.HasPrefix(d.Class, "0200") || strings.HasPrefix(d.Class, "0207") ||
					strings.HasPrefix(d.Class, "0c04") || strings.HasPrefix(d.Class, "0c06")
				if !d.NoDriver || !wired || driven[facts.PCISlot(d.Address)] {
					continue
				}
				if reported[facts.PCISlot(d.Address)] {
					continue // another function of the same NIC
				}
				reported[facts.PCISlot(d.Address)] = true
				severity := record.Error
				if rate := check.Named(d); rate > 0 && rate < 10e9 {
					severity = record.Warning
				}
				r.Found(record.Finding{
					Severity: severity, Subject: h.Subject(d.Address + " " + d.Name),
					Have: "no driver", Want: "an interface", Evidence: []record.EvidenceLine{{Host: h.Name, Source: d.From,
						Line: d.HeadLine}},
					Consequence: "the NIC carries nothing",
					Fix:         check.FindDriver.On(h, "at", d.Address, "id", d.Vendor+":"+d.Device),
				}, h.Subject(d.Address))
			}
		}
		driverEvents(w, r)
	},
}

// driverEvents reports NICs without a driver, or with one that failed, that are only known from the log.
func driverEvents(w *check.World, r *check.Report) {
	for h, e := range w.Events(facts.ProbeFailed) {
		if d := h.Facts.Device(e.Subject); d != nil && (d.NoDriver || d.Driver != "") {
			continue // another check reports the present state
		}
		r.Found(record.Finding{
			Severity: record.Error, Subject: check.SubjectOf(h, e.Subject),
			Have: "the driver could not start the NIC" + check.InBrackets(e.Detail), Want: "an interface",
			Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
			Consequence: "the NIC carries nothing",
			Fix: "read the lines of the log before this one; the NIC's firmware and the driver must suit each " +
				"other, and the slot must give power and address space",
		}, check.About(h, e.Subject)...)
	}
	for h, e := range w.Events(facts.NoDriverFound) {
		if h.Facts.Device(e.Subject) != nil || strings.HasPrefix(e.Subject, "pci") &&
			slices.ContainsFunc(h.Facts.PCI, func(d facts.PCIDevice) bool { return d.NoDriver }) {
			continue // the list of NICs has those without a driver, by name
		}
		f := record.Finding{Severity: record.Warning, Subject: check.SubjectOf(h, e.Subject),
			Have: "no driver" + check.InBrackets(e.Detail), Want: "an interface",
			Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
			Consequence: "the NIC carries nothing; which NIC it is is not in the log",
			Fix:         "look which NIC it is (" + check.ShowNICs.On(h) + "), and which driver takes it; load it"}
		if rate := check.RateOf(e.Detail); rate >= 10e9 || strings.Contains(strings.ToLower(e.Detail), "fibre channel") {
			f.Severity, f.Consequence = record.Error, "the NIC carries nothing"
		}
		r.Found(f, check.About(h, e.Subject)...)
	}
}
