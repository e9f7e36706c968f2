package pcie

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// DeviceLost checks for adapters that do not answer on the bus.
var DeviceLost = check.Check{
	ID:     "device-lost",
	Title:  "NICs that do not answer on the bus",
	Why:    "a NIC that fell off the bus reads as all ones: no power, no contact, or a firmware that stopped",
	Worst:  record.Error,
	Source: "lspci(8): Unknown header type 7f",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.PCI {
				d := &h.Facts.PCI[i]
				if !d.Gone {
					continue
				}
				r.Found(record.Finding{
					Severity: record.Error, Subject: h.Subject(d.Address + " " + d.Name),
					Have: "no answer", Want: "its configuration",
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: d.From, Line: "!!! Unknown header type 7f"}},
					Consequence: "the NIC carries nothing until it is there again",
					Fix: "switch the machine off and on (a restart is not enough); if it comes back only for a while, plug " +
						"it in again, look at its power and heat",
				}, h.Subject(d.Address))
			}
		}
	},
}

// PCIeErrors checks for errors that PCI Express corrected.
var PCIeErrors = check.Check{
	ID:      "pcie-errors",
	Title:   "errors that PCI Express corrected",
	Why:     "a link that has to send again loses time, and is the first sign of a bad riser, slot or contact",
	Worst:   record.Warning,
	Source:  "PCI Express Base Specification 3.1, 7.10.5 (correctable error status); lspci(8)",
	Because: []string{"pcie-degraded"},
	Look: func(w *check.World, r *check.Report) {
		replays(w, r)
		for _, h := range w.Hosts {
			reported := map[string]bool{}
			for _, c := range check.NICs(w, h) {
				// Most machines have a receiver error or an advisory one set since power-on.
				serious := slices.ContainsFunc(c.Dev.Corrected, func(e string) bool {
					return slices.Contains([]string{"BadTLP", "BadDLLP", "Rollover", "Timeout"}, e)
				})
				for _, hop := range c.Hops {
					for _, d := range []*facts.PCIDevice{hop.Down, hop.Up} {
						if d == nil || !d.Fatal || reported[d.Address] {
							continue
						}
						reported[d.Address] = true
						r.Found(record.Finding{
							Severity: record.Warning, Subject: c.Subject(h, "at "+d.Address),
							Have: "a fatal error since it was cleared", Want: "none", Evidence: []record.EvidenceLine{{Host: h.Name,
								Source: d.From, Line: d.ErrorLine}},
							Consequence: "the link was reset, or data was lost; when is not known",
							Fix:         "plug the NIC in again; look into the system's log for AER or WHEA",
						}, h.Subject(c.Dev.Address))
					}
				}
				if !serious && len(c.Dev.Corrected) < 3 {
					continue
				}
				r.Found(record.Finding{
					Severity: record.Info, Subject: c.Subject(h, ""),
					Have: corrected(c.Dev.Corrected) + " since they were cleared", Want: "none",
					Evidence: []record.EvidenceLine{{Host: h.Name, Source: c.Dev.From, Line: c.Dev.ErrorLine}},
					Consequence: unit.If(serious, "packets on the bus were retransmitted; how many is not known",
						"packets on the bus may have been retransmitted: which errors, and how many, is not in the snapshot"),
					Fix: "look whether they come back: " + check.ClearErrors.On(h, "at", c.Dev.Address) +
						" them; then plug the NIC in again",
				}, h.Subject(c.Dev.Address))
			}
		}
	},
}

// corrected names the kinds of errors that were corrected. Those that pciconf only counts ("kind 1") are given as a
// number.
func corrected(kinds []string) string {
	if strings.HasPrefix(kinds[0], "kind ") {
		return fmt.Sprintf("%d kinds of errors that were corrected (pciconf -lce names them)", len(kinds))
	}
	return unit.List(kinds)
}

// replays reports the bus errors that a NIC counts itself, and those in the system's log.
func replays(w *check.World, r *check.Report) {
	for _, t := range w.Tallies(map[facts.Counted]check.Weight{facts.BusReplays: check.Lost}) {
		f, c := t.Finding(), t.Counts[0]
		if f.Severity == record.Error {
			f.Severity = record.Warning
		}
		f.Have, f.Want = check.Counted(c, "bad signals between NIC and machine, next to its frames"), "none"
		f.Consequence, f.Fix = "the bus retransmitted, or trained again", "plug the NIC in again, without a riser; "+
			"another slot"
		r.Found(f, check.About(t.Host, t.Subject)...)
	}
	for h, e := range w.Events(facts.BusError) {
		f := record.Finding{
			Severity: w.There(h, e.Subject, record.Warning), Subject: check.SubjectOf(h, e.Subject),
			Have: "errors of PCI Express in the log" + check.InBrackets(strings.TrimPrefix(e.Detail+", "+
				check.Count(uint64(e.Count))+" times", ", ")), Want: "none", Evidence: []record.EvidenceLine{{Host: h.Name,
				Source: e.Source, Line: e.Line}},
			Consequence: "the bus retransmitted", Fix: "plug the NIC in again, without a riser; another slot; then look " +
				"whether " +
				"the log goes on",
		}
		if strings.Contains(e.Detail, "un") || strings.Contains(e.Detail, "atal") {
			f.Consequence = "data was lost on the bus, or the NIC was reset"
		}
		r.Found(f, check.About(h, e.Subject)...)
	}
}

// PCIePayload checks the largest packets on PCI Express.
var PCIePayload = check.Check{
	ID:    "pcie-payload",
	Title: "the largest packets on PCI Express",
	Why: "each packet has a head of 20 to 28 bytes: with 128 bytes of payload a tenth more of the link goes to " +
		"headers than with 256",
	Worst:  record.Warning,
	Source: "PCI Express Base Specification 3.1, 7.8.4; 10 % measured at the same link",
	Look: func(w *check.World, r *check.Report) {
		for h, c := range w.NICs() {
			now, ok := c.Dev.Payload.Get()
			can, ok2 := c.Dev.MaxPayload.Get()
			if !ok || !ok2 || now != 128 || can < 256 || c.Need < 25e9 || len(c.Hops) == 0 || c.Hops[0].Up == nil {
				continue
			}
			above, ok := c.Hops[0].Up.MaxPayload.Get()
			if !ok || above < 256 {
				continue
			}
			line := cmp.Or(c.Dev.PayloadLine, fmt.Sprintf("MaxPayload %d bytes, can %d; above %d", now, can, above))
			r.Found(record.Finding{
				Severity: record.Warning, Subject: c.Subject(h, ""),
				Have: "128 bytes", Want: fmt.Sprintf("%d bytes, which both ends can", min(can, above)),
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: c.Dev.From, Line: line}},
				Consequence: "about a tenth of what the bus carries",
				Fix:         "the firmware's setting (Max Payload Size: Auto)" + check.LargePackets.On(h),
			}, h.Subject(c.Dev.Address))
		}
	},
}

// busWords reports NICs that PCI Express limits according to the log of a driver or the kernel. Where the links of the
// bus are known, they decide, and the log is additional evidence.
func busWords(w *check.World, r *check.Report) {
	for h, e := range w.Events(facts.BusNarrow) {
		if d := h.Facts.Device(e.Subject); d != nil {
			if _, ok := d.Now(); ok {
				continue
			}
		}
		f := record.Finding{
			Severity: record.Warning, Subject: check.SubjectOf(h, e.Subject), Have: "the kernel's log says that the bus is " +
				"too narrow" + check.InBrackets(e.Detail), Want: "what the NIC can",
			Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
			Consequence: "less than the ports carry; how much is not in these words",
			Fix: "look at each hop (lspci -vvv, or pciconf -lvc, as root): plug the NIC in again, without a riser; " +
				"another slot; the firmware's setting of the slot's generation",
		}
		carries, known := e.Carries.Get()
		needs, wanted := e.Needs.Get()
		if nic := check.NicOf(h, e.Subject); nic != nil && !wanted {
			needs, wanted = nic.Speed.Get()
		}
		switch {
		case known && wanted && float64(carries) < 0.9*float64(needs):
			f.Severity, f.Loss = record.Error, unit.Known(1-float64(carries)/float64(needs))
			f.Want, f.Consequence = fmt.Sprintf("%s for its ports", needs),
				fmt.Sprintf("%s over the bus at most, for ports of %s together", carries, needs)
		case known && wanted:
			f.Severity, f.Consequence = record.Info, fmt.Sprintf("none for its ports: %s over the bus carries their %s", carries,
				needs)
		case known:
			f.Consequence = fmt.Sprintf("%s over the bus at most", carries)
			if carries < 9e9 {
				f.Severity = record.Error
			}
		}
		r.Found(f, check.About(h, e.Subject)...)
	}
}

// witness adds the log lines of the kernel or the driver about a NIC to a finding about its links.
func witness(h *check.Host, address string, f *record.Finding) {
	for _, e := range h.Facts.Events {
		d := h.Facts.Device(e.Subject)
		if e.What == facts.BusNarrow && d != nil && facts.PCISlot(d.Address) == facts.PCISlot(address) {
			f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: e.Source, Line: e.Line})
			return
		}
	}
}
