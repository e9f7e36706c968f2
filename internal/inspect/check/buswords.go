package check

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// busWords are the cards of which only a driver's or the kernel's words say that PCI Express holds them back. Where the links of
// the bus themselves are known, they decide, and the words are a second witness.
func busWords(w *World, r *report) {
	for h, e := range w.events(facts.BusNarrow) {
		if d := h.Facts.Device(e.Subject); d != nil {
			if _, ok := d.Now(); ok {
				continue
			}
		}
		f := record.Finding{
			Severity: record.Warning, Subject: subjectOf(h, e.Subject), Have: "the kernel's log says that the bus is too narrow" + inBrackets(e.Detail), Want: "what the card can",
			Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
			Consequence: "less than the ports carry; how much is not in these words",
			Fix:         "look at each hop (lspci -vvv, or pciconf -lvc, as root): seat the card anew, without a riser; another slot; the firmware's setting of the slot's generation",
		}
		carries, known := e.Carries.Get()
		needs, wanted := e.Needs.Get()
		if nic := nicOf(h, e.Subject); nic != nil && !wanted {
			needs, wanted = nic.Speed.Get()
		}
		switch {
		case known && wanted && float64(carries) < 0.9*float64(needs):
			f.Severity, f.Loss = record.Error, unit.Known(1-float64(carries)/float64(needs))
			f.Want, f.Consequence = fmt.Sprintf("%s for its ports", needs), fmt.Sprintf("%s over the bus at most, for ports of %s together", carries, needs)
		case known && wanted:
			f.Severity, f.Consequence = record.Info, fmt.Sprintf("none for its ports: %s over the bus carries their %s", carries, needs)
		case known:
			f.Consequence = fmt.Sprintf("%s over the bus at most", carries)
			if carries < 9e9 {
				f.Severity = record.Error
			}
		}
		r.found(f, about(h, e.Subject)...)
	}
}

// witness adds the kernel's or the driver's words about a card to a finding about its links.
func witness(h *Host, address string, f *record.Finding) {
	for _, e := range h.Facts.Events {
		d := h.Facts.Device(e.Subject)
		if e.What == facts.BusNarrow && d != nil && facts.PCISlot(d.Address) == facts.PCISlot(address) {
			f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: e.Source, Line: e.Line})
			return
		}
	}
}

// nicOf is the interface of that name or of that address on the bus.
func nicOf(h *Host, subject string) *facts.Interface {
	for i := range h.Facts.NICs {
		if n := &h.Facts.NICs[i]; n.Name == subject || n.PCI != "" && strings.EqualFold(n.PCI, subject) {
			return n
		}
	}
	return nil
}
