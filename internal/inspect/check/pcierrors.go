package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkDeviceLost = Check{
	ID:     "device-lost",
	Title:  "cards that do not answer on the bus",
	Why:    "a card that fell off the bus reads as all ones: no power, no contact, or a firmware that stopped",
	Worst:  record.Error,
	Source: "lspci(8): Unknown header type 7f",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.PCI {
				d := &h.Facts.PCI[i]
				if !d.Gone {
					continue
				}
				r.found(record.Finding{
					Severity: record.Error, Subject: h.Name + ": " + d.Address + " " + d.Name,
					Have: "no answer", Want: "its configuration",
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: d.From, Line: "!!! Unknown header type 7f"}},
					Consequence: "the card carries nothing until it is there again",
					Fix:         "switch the machine off and on (a restart is not enough); if it comes back only for a while, seat it anew, look at its power and heat",
				}, h.Name+": "+d.Address)
			}
		}
	},
}

var checkPCIeErrors = Check{
	ID:      "pcie-errors",
	Title:   "errors that PCI Express corrected",
	Why:     "a link that has to send again loses time, and is the first sign of a bad riser, slot or contact",
	Worst:   record.Warning,
	Source:  "PCI Express Base Specification 3.1, 7.10.5 (correctable error status); lspci(8)",
	Because: []string{"pcie-degraded"},
	look: func(w *World, r *report) {
		replays(w, r)
		for _, h := range w.Hosts {
			told := map[string]bool{}
			for _, c := range cards(w, h) {
				// A receiver error or an advisory one alone is set on most machines since they were switched on.
				serious := slices.ContainsFunc(c.dev.Corrected, func(e string) bool {
					return slices.Contains([]string{"BadTLP", "BadDLLP", "Rollover", "Timeout"}, e)
				})
				for _, hop := range c.hops {
					for _, d := range []*facts.PCIDevice{hop.Down, hop.Up} {
						if d == nil || !d.Fatal || told[d.Address] {
							continue
						}
						told[d.Address] = true
						r.found(record.Finding{
							Severity: record.Warning, Subject: fmt.Sprintf("%s: %s, at %s", h.Name, c.name, d.Address),
							Have: "a fatal error since it was cleared", Want: "none", Evidence: []record.EvidenceLine{{Host: h.Name, Source: d.From, Line: d.ErrorLine}},
							Consequence: "the link was reset, or data was lost; when is not known", Fix: "seat the card anew; look into the system's log for AER or WHEA",
						}, h.Name+": "+c.dev.Address)
					}
				}
				if !serious && len(c.dev.Corrected) < 3 {
					continue
				}
				r.found(record.Finding{
					Severity: record.Info, Subject: fmt.Sprintf("%s: %s", h.Name, c.name),
					Have: corrected(c.dev.Corrected) + " since they were cleared", Want: "none",
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: c.dev.From, Line: c.dev.ErrorLine}},
					Consequence: map[bool]string{true: "packets on the bus were sent again; how many is not known", false: "packets on the bus may have been sent again: which errors, and how many, is not in the capture"}[serious],
					Fix:         "look whether they come back: " + clearErrors.on(h, "at", c.dev.Address) + " them; then seat the card anew",
				}, h.Name+": "+c.dev.Address)
			}
		}
	},
}

// corrected names the kinds of errors that were corrected. Of those that pciconf only counts ("kind 1") there is the number.
func corrected(kinds []string) string {
	if strings.HasPrefix(kinds[0], "kind ") {
		return fmt.Sprintf("%d kinds of errors that were corrected (pciconf -lce names them)", len(kinds))
	}
	return words(kinds)
}

// replays are the errors of the bus that a card counts beside its frames, and those of which the system's log speaks.
func replays(w *World, r *report) {
	for _, t := range w.tallies(map[facts.Counted]weight{facts.BusReplays: lost}) {
		f, c := t.finding(), t.counts[0]
		if f.Severity == record.Error {
			f.Severity = record.Warning
		}
		f.Have, f.Want = counted(c, "bad signals between card and machine, beside its frames"), "none"
		f.Consequence, f.Fix = "the bus sent again, or trained anew", "seat the card anew, without a riser; another slot"
		r.found(f, about(t.host, t.subject)...)
	}
	for h, e := range w.events(facts.BusError) {
		f := record.Finding{
			Severity: w.there(h, e.Subject, record.Warning), Subject: subjectOf(h, e.Subject),
			Have: "errors of PCI Express in the log" + inBrackets(strings.TrimPrefix(e.Detail+", "+count(uint64(e.Count))+" times", ", ")), Want: "none", Evidence: []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
			Consequence: "the bus sent again", Fix: "seat the card anew, without a riser; another slot; then look whether the log goes on",
		}
		if strings.Contains(e.Detail, "un") || strings.Contains(e.Detail, "atal") {
			f.Consequence = "data was lost on the bus, or the card was reset"
		}
		r.found(f, about(h, e.Subject)...)
	}
}

var checkPCIePayload = Check{
	ID:     "pcie-payload",
	Title:  "the largest packets on PCI Express",
	Why:    "each packet has a head of 20 to 28 bytes: with 128 bytes of payload a tenth more of the link goes to heads than with 256",
	Worst:  record.Warning,
	Source: "PCI Express Base Specification 3.1, 7.8.4; 10 % measured at the same link",
	look: func(w *World, r *report) {
		for h, c := range w.cards() {
			now, ok := c.dev.Payload.Get()
			can, ok2 := c.dev.MaxPayload.Get()
			if !ok || !ok2 || now != 128 || can < 256 || c.need < 25e9 || len(c.hops) == 0 || c.hops[0].Up == nil {
				continue
			}
			above, ok := c.hops[0].Up.MaxPayload.Get()
			if !ok || above < 256 {
				continue
			}
			line := cmp.Or(c.dev.PayloadLine, fmt.Sprintf("MaxPayload %d bytes, can %d; above %d", now, can, above))
			r.found(record.Finding{
				Severity: record.Warning, Subject: fmt.Sprintf("%s: %s", h.Name, c.name),
				Have: "128 bytes", Want: fmt.Sprintf("%d bytes, which both ends can", min(can, above)),
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: c.dev.From, Line: line}},
				Consequence: "about a tenth of what the bus carries",
				Fix:         "the firmware's setting (Max Payload Size: Auto)" + largePackets.on(h),
			}, h.Name+": "+c.dev.Address)
		}
	},
}
