package check

import (
	"slices"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// offloadWords are the interfaces of which a driver says in the log that an offload was switched off. What the interface itself
// says is newer, and decides where it is known.
func offloadWords(w *World, r *report) {
	for _, h := range w.Hosts {
		if value, ok := h.Facts.Sysctl("net.inet.tcp.tso"); ok && value == "0" && h.Plan != nil {
			p := h.Facts.Sysctls["net.inet.tcp.tso"]
			r.found(record.Finding{
				Severity: record.Warning, Subject: h.Name + ": net.inet.tcp.tso", Have: "segmentation offload is off for all interfaces", Want: "1",
				Evidence: []record.EvidenceLine{{Host: h.Name, Source: p.Source, Line: p.Line}}, Consequence: "each packet costs processor time of its own",
				Fix: "sysctl net.inet.tcp.tso=1, and the line of /etc/sysctl.conf that sets it to 0", Undo: "sysctl net.inet.tcp.tso=0",
			}, h.Name)
		}
	}
	at := map[string]int{}
	var found []record.Finding
	for h, e := range w.events(facts.OffloadOff) {
		if rate, known := e.Rate.Get(); !known || rate < 10e9 {
			continue
		}
		if n := nicOf(h, e.Subject); n != nil && n.Offloads != nil || h.Plan != nil && !w.carries(h, e.Subject) {
			continue
		}
		subject := subjectOf(h, e.Subject)
		line := record.EvidenceLine{Host: h.Name, Source: e.Source, Line: e.Line}
		i, ok := at[subject]
		if ok { // tso6 beside tso4
			found[i].Have += " and " + e.Detail
			found[i].Evidence = append(found[i].Evidence, line)
			continue
		}
		at[subject] = len(found)
		found = append(found, record.Finding{
			Severity: record.Warning, Subject: subject, Have: e.Detail, Want: "on, unless the host bridges or routes for others",
			Evidence: []record.EvidenceLine{line}, Consequence: "each packet costs processor time of its own",
			Fix:  "look whether it is still so (" + showOffloads.on(h, "nic", e.Subject) + "), then " + offloadsOn.on(h, "nic", e.Subject) + "; and find who switches it off at boot",
			Undo: offloadsOff.on(h, "nic", e.Subject), About: about(h, e.Subject),
		})
	}
	for _, f := range found {
		f.Have += " switched off, as its driver says"
		r.found(f, slices.Clone(f.About)...)
	}
}
