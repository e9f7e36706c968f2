package report

import (
	"strings"

	"linerate/internal/record"
)

// limiterWords are the short names that a table has room for; any other limiter
// is printed as its id with spaces.
func limiterWords(id string) string {
	switch id {
	case "link":
		return "the link"
	case "pcie":
		return "PCIe"
	case "cpu-per-packet":
		return "CPU, per packet"
	case "cpu-copy":
		return "CPU, copying"
	case "cpu-per-request":
		return "CPU, per request"
	case "memory", "drive":
		return "the " + id
	case "receive-window-cap":
		return "receive window"
	case "send-buffer-cap":
		return "send buffer"
	case "app-limited":
		return "the program"
	case "local-shaper":
		return "a shaper"
	case "udp-socket-overflow":
		return "socket buffer"
	case "wrong-nic":
		return "wrong card"
	case "unexplained":
		return "unexplained"
	case "unknown", "":
		return notKnown
	}
	return strings.ReplaceAll(clean(id), "-", " ")
}

// limitedBy is a verdict in a few words: "nas: receive window (likely)"; without
// the host where there is no room.
func limitedBy(e *record.Experiment, short bool) string {
	switch {
	case e.Failed != "":
		return "failed"
	case e.NotRun != "":
		return "not run"
	case e.Verdict == nil:
		return notKnown
	}
	v := e.Verdict
	s := limiterWords(v.Limiter)
	if v.Limiter == "app-limited" && e.Settings["pace"] != "" && v.Confidence == "proved" {
		s = "the pace"
	}
	if !short && v.Component != "" && (v.Component == e.From || v.Component == e.To) {
		s = clean(v.Component) + ": " + s
	}
	if v.Confidence == "likely" && v.Limiter != "link" {
		s += " (likely)"
	}
	return s
}

// heldBy is limitedBy as the end of a sentence.
func heldBy(e *record.Experiment) string {
	by := limitedBy(e, false)
	if v := e.Verdict; e.Failed == "" && e.NotRun == "" && (v == nil || v.Limiter == "unknown" || v.Limiter == "unexplained" || v.Limiter == "") {
		return "why it is not more is " + strings.Replace(by, "unexplained", "not explained", 1)
	}
	return "limited by " + by
}

// healthy says that a verdict needs no more words than its sentence.
func healthy(v *record.Verdict) bool { return v != nil && v.Limiter == "link" }
