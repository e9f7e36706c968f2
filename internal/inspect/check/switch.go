package check

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkHardware = Check{
	ID:     "switch-hardware",
	Title:  "power supplies, fans and sensors of switches",
	Why:    "a switch with one supply or a fan less works on until the next one goes, or until it is too hot",
	Worst:  record.Warning,
	Source: "the switch's own words",
	look: func(w *World, r *report) {
		for h, e := range w.events(facts.HardwareFault) {
			r.found(record.Finding{Severity: record.Warning, Subject: subjectOf(h, e.Subject), Have: e.Detail, Want: "all parts well",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
				Consequence: "nothing now; the switch may go down with the next part that fails",
				Fix:         "look whether the part is plugged in and has power or air, then change it"}, about(h, e.Subject)...)
		}
	},
}

var checkMLAG = Check{
	ID:     "mlag-mismatch",
	Title:  "settings in which the two switches of an MLAG differ",
	Why:    "two switches that are to look like one have to agree; where they do not, the links that end at both stay down, or one switch shuts its own",
	Worst:  record.Warning,
	Source: "the switch's own words (show mlag)",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			m := h.Facts.Switch.MLAG
			if m == nil || len(m.Mismatches) == 0 {
				continue
			}
			f := record.Finding{Severity: record.Warning, Subject: h.Name + ": MLAG", Want: "the same on both switches",
				Consequence: "links that end at both switches may stay down, or carry traffic at one of the two alone",
				Fix:         "show mlag at both switches, and set what differs alike at both"}
			var what []string
			for _, x := range m.Mismatches {
				what = append(what, x.What)
				f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: x.Source, Line: x.Line})
			}
			f.Have = words(what) + " differs between the two"
			r.found(f, f.Subject)
		}
	},
}

// pfcOn is what sets PFC on a port of a switch, and what takes that back: forms of the makers' documents, which package config renders.
var pfcOn = map[string][2]string{
	"onyx": {"dcb priority-flow-control enable force; interface ethernet %s dcb priority-flow-control mode on force; then at the other end the same",
		"interface ethernet %s no dcb priority-flow-control mode force"},
	"eos":   {"interface %s, priority-flow-control on, priority-flow-control priority N no-drop; then at the other end the same", "interface %s, no priority-flow-control"},
	"sonic": {"sudo config interface pfc priority %s N on", "sudo config interface pfc priority %s N off"},
}

var checkPFCOneSided = Check{
	ID:     "pfc-one-sided",
	Title:  "flow control by priority that is set and not in effect",
	Why:    "with pauses that only one end knows, a lossless class loses packets as soon as a queue is full",
	Worst:  record.Warning,
	Source: "IEEE 802.1Qbb; the switch's own words",
	look: func(w *World, r *report) {
		for h, e := range w.events(facts.NotInEffect) {
			if e.Detail != "PFC" {
				continue
			}
			f := record.Finding{Severity: record.Warning, Subject: subjectOf(h, e.Subject), Have: "PFC is set on this port, and not in effect", Want: "in effect",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
				Consequence: "the lossless class is not paused here: it loses packets when its queue is full",
				Fix:         "look whether the switch has PFC on as a whole, and what the other end announces; then set it on, not to auto"}
			if c, ok := pfcOn[h.Facts.OS]; ok {
				port := e.Subject
				if h.Facts.OS == "onyx" {
					port = strings.TrimPrefix(port, "Eth")
				}
				f.Fix, f.Undo = fmt.Sprintf(c[0], port), fmt.Sprintf(c[1], port)
			}
			r.found(f, about(h, e.Subject)...)
		}
	},
}

var checkModeIdle = Check{
	ID:     "roce-mode-not-applied",
	Title:  "a RoCE mode that a switch says is set, and not in effect",
	Why:    "a setting that the hardware did not take is one that nobody has",
	Worst:  record.Warning,
	Source: "the switch's own words",
	look: func(w *World, r *report) {
		for h, e := range w.events(facts.NotInEffect) {
			if e.Detail == "PFC" {
				continue
			}
			r.found(record.Finding{Severity: record.Warning, Subject: subjectOf(h, e.Subject), Have: e.Detail + ": set, and not in effect", Want: "in effect",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}},
				Consequence: "the classes of this switch are not those that its configuration asks for",
				Fix:         "look what the switch says to it (its log; for Cumulus the exception list of nv show qos roce), and set it again"}, about(h, e.Subject)...)
		}
	},
}

// save is what keeps a switch's settings over a restart, by system; source: package config.
var save = map[string]string{"eos": "write", "sonic": "sudo config save -y", "cumulus": "nv config apply, nv config save", "onyx": "configuration write"}

var checkUnsaved = Check{
	ID:     "switch-config-unsaved",
	Title:  "settings of switches that a restart would lose",
	Why:    "a switch runs what was typed last, and starts with what was written last",
	Worst:  record.Warning,
	Source: "the two configurations of the switch",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			s := h.Facts.Switch.Saved
			if s == nil || s.OK {
				continue
			}
			f := record.Finding{Severity: record.Warning, Subject: h.Name, Have: "what it runs is not what it starts with", Want: "the same",
				Consequence: "a restart changes " + lines(len(s.Lost)+len(s.Back)) + " of its configuration",
				Fix:         "if it is to stay as it is: " + save[h.Facts.OS]}
			for _, p := range slices.Concat(s.Lost, s.Back)[:min(5, len(s.Lost)+len(s.Back))] {
				f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line})
			}
			r.found(f, f.Subject)
		}
	},
}

func lines(n int) string {
	if n == 1 {
		return "one line"
	}
	return fmt.Sprintf("%d lines", n)
}
