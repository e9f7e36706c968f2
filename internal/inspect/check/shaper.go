package check

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

var checkShaper = Check{
	ID:     "local-shaper",
	Title:  "shapers on the way out",
	Why:    "a limit that was set for a test, or for a slower line, stays until somebody takes it away",
	Worst:  record.Error,
	Source: "tc(8)",
	look: func(w *World, r *report) {
		for p := range w.ports() {
			h := p.host
			if p.nic.Qdiscs == nil && h.system() == "freebsd" {
				r.notKnown(h.Name+": shapers", "those of FreeBSD (dummynet, ALTQ) are not read")
				continue
			}
			if h.system() == "windows" {
				continue // it has none
			}
			if p.nic.Qdiscs == nil {
				r.notKnown(p.subject()+": queueing disciplines", "they are not in the capture")
				continue
			}
			q, found := p.nic.Slowest()
			if !found || p.link == nil || p.link.Speed == 0 {
				continue
			}
			speed := p.link.Speed
			if h.Facts.Lab != 0 {
				speed = unit.BitRate(float64(speed) * h.Facts.Lab) // the lab's own shaper is the link
			}
			rate, _ := q.Rate.Get()
			if float64(rate) >= 0.97*float64(speed) {
				continue
			}
			loss := 1 - float64(rate)/float64(speed)
			f := record.Finding{
				Severity: record.Warning, Subject: p.subject(),
				Have: fmt.Sprintf("%s lets %s out", q.Kind, rate), Want: fmt.Sprintf("%s, what the link %s carries", speed, p.link.Name),
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: "tc qdisc show dev " + p.nic.Name, Line: fmt.Sprintf("%s %s %s rate %.0fbit", q.Kind, q.Handle, q.Parent, float64(rate))}},
				Consequence: fmt.Sprintf("%s of %s, %s less than the link carries", rate, speed, speed-rate), Loss: unit.Known(loss),
				Fix: "tc qdisc del dev " + p.nic.Name + " root", Undo: q.Restore(p.nic.Name),
			}
			if loss >= 0.1 {
				f.Severity = record.Error
			}
			if h.Facts.Lab != 0 { // taking it away would take the link's own rate away
				f.Fix, f.Undo = "linerate lab down, and up again: the link's own shaper comes back", ""
			}
			r.found(f, p.subject())
		}
	},
}
