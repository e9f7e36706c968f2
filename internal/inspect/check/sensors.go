package check

import (
	"fmt"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// hot judges the sensors of a host's cards, drives and processors by the limits that they name themselves.
func hot(w *World, h *Host, r *report) {
	for _, t := range h.Facts.Temperatures {
		if t.Device == "acpitz" {
			continue // the firmware's zones: their limits are made up on many boards
		}
		critical, hasCritical := t.Critical.Get()
		high, hasHigh := t.High.Get()
		limit, bound := "", 0.0
		switch {
		case hasCritical && t.Now >= critical:
			limit, bound = "critical", critical
		case hasHigh && t.Now >= high && (!hasCritical || high <= critical):
			limit, bound = "highest", high
		default:
			continue
		}
		name := t.Sensor
		if t.Label != "" {
			name = t.Label
		}
		f := record.Finding{
			Severity: record.Warning, Subject: fmt.Sprintf("%s: %s", h.Name, t.Device),
			Have: fmt.Sprintf("%s at %.4g degrees C (%s is %.4g)", name, t.Now, limit, bound), Want: "below its own limits",
			Evidence:    []record.EvidenceLine{{Host: h.Name, Source: t.Source, Line: t.Line}},
			Consequence: "it slows itself down, or makes errors", Fix: "more air: fans, filters, what stands in its way; a free slot beside a card that is made for the air of a server",
		}
		if h.Facts.NIC(t.Device) != nil {
			f.Severity = w.there(h, t.Device, f.Severity)
			f.Consequence = "a card beyond its limit makes errors or drops its link"
		} else if processor(t) {
			f.Consequence = "the processor clocks down: what is measured meanwhile is slower than it could be"
		}
		if limit == "critical" {
			f.Consequence += "; at this limit it may switch itself off"
		}
		r.found(f, h.Name+": "+t.Device)
	}
}

// processor says whether a sensor is a processor's, by the name of its driver.
func processor(t facts.Temperature) bool {
	for _, name := range []string{"coretemp", "k10temp", "zenpower", "cpu"} {
		if strings.HasPrefix(t.Device, name) {
			return true
		}
	}
	return false
}
