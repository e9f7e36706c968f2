package check

import (
	"cmp"
	"fmt"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkPending = Check{
	ID:     "config-pending",
	Title:  "firmware settings that wait for a restart",
	Why:    "a card takes its settings when the machine starts: what was set since is not so yet, and everything else is read as if it were",
	Worst:  record.Info,
	Source: "NVIDIA, MFT: mlxconfig -e query (default, current, next boot)",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			var order []string
			waiting := map[string][]facts.FirmwareSetting{}
			for _, s := range h.Facts.Firmware {
				if before := cmp.Or(s.Current, s.Was); before == "" || before == s.Next {
					continue
				}
				if waiting[s.Device] == nil {
					order = append(order, s.Device)
				}
				waiting[s.Device] = append(waiting[s.Device], s)
			}
			for _, device := range order {
				pending(h, device, waiting[device], r)
			}
		}
	},
}

func pending(h *Host, device string, list []facts.FirmwareSetting, r *report) {
	name := device
	if name == "" || name == "unnamed" {
		name = "DEVICE"
	}
	first := list[0]
	f := record.Finding{Severity: record.Info, Subject: h.Name + ": card " + name, Want: "all that was set in effect",
		Have:        fmt.Sprintf("%s is %s until the next restart, then %s", first.Name, first.Current, first.Next),
		Consequence: "nothing else: what depends on it behaves as before", Fix: "restart the machine, or mlxfwreset -d " + name + " reset (its links go down)",
		Undo: "mlxconfig -d " + name + " set"}
	if first.Current == "" {
		f.Have = fmt.Sprintf("%s was set from %s to %s, which is so from the next restart on", first.Name, first.Was, first.Next)
	}
	if len(list) > 1 {
		f.Have += fmt.Sprintf("; %d more", len(list)-1)
	}
	for i, s := range list {
		if i < 8 {
			f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: s.Source, Line: s.Line})
			f.Undo += " " + s.Name + "=" + settingValue(cmp.Or(s.Current, s.Was))
		}
	}
	r.found(f, f.Subject)
}

// settingValue is what mlxconfig takes for IB(1): 1.
func settingValue(shown string) string {
	if _, number, ok := strings.Cut(strings.TrimSuffix(shown, ")"), "("); ok {
		return number
	}
	return shown
}
