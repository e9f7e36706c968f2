package lossless

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/device/families"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Hardware checks power supplies, fans and sensors of switches.
var Hardware = check.Check{
	ID:     "switch-hardware",
	Title:  "power supplies, fans and sensors of switches",
	Why:    "a switch with one supply or a fan less works on until the next one goes, or until it is too hot",
	Worst:  record.Warning,
	Source: "the switch's own words",
	Look: func(w *check.World, r *check.Report) {
		for h, e := range w.Events(facts.HardwareFault) {
			r.Found(record.Finding{Severity: record.Warning, Subject: check.SubjectOf(h, e.Subject), Have: e.Detail,
				Want: "all parts well", Evidence: []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
				Consequence: "nothing now; the switch may go down with the next part that fails",
				Fix:         "look whether the part is plugged in and has power or air, then change it"},
				check.About(h, e.Subject)...)
		}
	},
}

// MLAG checks for settings that differ between the two switches of an MLAG.
var MLAG = check.Check{
	ID:    "mlag-mismatch",
	Title: "settings in which the two switches of an MLAG differ",
	Why: "two switches that are to look like one have to agree; where they do not, the links that end at both stay " +
		"down, or one switch shuts its own",
	Worst:  record.Warning,
	Source: "the switch's own words (show mlag)",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			m := h.Facts.Switch.MLAG
			if m == nil || len(m.Mismatches) == 0 {
				continue
			}
			f := record.Finding{Severity: record.Warning, Subject: h.Subject("MLAG"), Want: "the same on both switches",
				Consequence: "links that end at both switches may stay down, or carry traffic at one of the two alone",
				Fix:         "show mlag at both switches, and set what differs alike at both"}
			var what []string
			for _, x := range m.Mismatches {
				what = append(what, x.What)
				f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: x.Source, Line: x.Line})
			}
			f.Have = unit.List(what) + " differs between the two"
			r.Found(f, f.Subject)
		}
	},
}

// PFCOneSided checks for flow control by priority that is configured and not in effect.
var PFCOneSided = check.Check{
	ID:     "pfc-one-sided",
	Title:  "flow control by priority that is set and not in effect",
	Why:    "with pauses that only one end knows, a lossless class loses packets as soon as a queue is full",
	Worst:  record.Warning,
	Source: "IEEE 802.1Qbb; the switch's own words",
	Look: func(w *check.World, r *check.Report) {
		for h, e := range w.Events(facts.NotInEffect) {
			if e.Detail != "PFC" {
				continue
			}
			f := record.Finding{Severity: record.Warning, Subject: check.SubjectOf(h, e.Subject),
				Have: "PFC is set on this port, and not in effect", Want: "in effect",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
				Consequence: "the lossless class is not paused here: it loses packets when its queue is full",
				Fix: "look whether the switch has PFC on as a whole, and what the other end announces; then set it on, " +
					"not to auto"}
			if t := families.Traits(h.Facts.OS); t.PFC[0] != "" {
				port := strings.TrimPrefix(e.Subject, t.PortPrefix)
				f.Fix, f.Undo = fmt.Sprintf(t.PFC[0], port), fmt.Sprintf(t.PFC[1], port)
			}

			r.Found(f, check.About(h, e.Subject)...)
		}
	},
}

// ModeIdle checks for a RoCE mode that is configured on a switch and not in effect.
var ModeIdle = check.Check{
	ID:     "roce-mode-not-applied",
	Title:  "a RoCE mode that a switch says is set, and not in effect",
	Why:    "a setting that the hardware did not take is not in effect",
	Worst:  record.Warning,
	Source: "the switch's own words",
	Look: func(w *check.World, r *check.Report) {
		for h, e := range w.Events(facts.NotInEffect) {
			if e.Detail == "PFC" {
				continue
			}
			r.Found(record.Finding{Severity: record.Warning, Subject: check.SubjectOf(h, e.Subject),
				Have: e.Detail + ": set, and not in effect", Want: "in effect",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
				Consequence: "the classes of this switch are not those that its configuration asks for",
				Fix: "look what the switch says to it (its log; for Cumulus the exception list of nv show qos roce), " +
					"and set it again"}, check.About(h, e.Subject)...)
		}
	},
}

// Unsaved checks for switch settings that a restart would lose.
var Unsaved = check.Check{
	ID:     "switch-config-unsaved",
	Title:  "settings of switches that a restart would lose",
	Why:    "a switch runs what was typed last, and starts with what was written last",
	Worst:  record.Warning,
	Source: "the two configurations of the switch",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			s := h.Facts.Switch.Saved
			if s == nil || s.OK {
				continue
			}
			f := record.Finding{Severity: record.Warning, Subject: h.Subject(), Have: "what it runs is not what it starts with",
				Want:        "the same",
				Consequence: "a restart changes " + lines(len(s.Lost)+len(s.Back)) + " of its configuration",
				Fix:         "if it is to stay as it is: " + families.Traits(h.Facts.OS).Save}
			for _, p := range slices.Concat(s.Lost, s.Back)[:min(5, len(s.Lost)+len(s.Back))] {
				f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line})
			}
			r.Found(f, f.Subject)
		}
	},
}

func lines(n int) string {
	if n == 1 {
		return "one line"
	}
	return fmt.Sprintf("%d lines", n)
}
