package check

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// fixedWindow looks for settings of Linux that keep every receive window small, whatever its limit is: without window scaling no
// window is above 64 KiB, in either direction (RFC 7323, 2.2), and without moderation it stays at what a buffer begins with (tcp(7)).
func fixedWindow(w *World, r *report) {
	for _, h := range w.Hosts {
		fastest := w.rateOf(h)
		if h.system() != "linux" || fastest == 0 {
			continue
		}
		begins := float64(h.Facts.TCP.RMem.Or([3]int64{4096, 131072, 0})[1]) / 2
		for _, s := range []struct {
			key    string
			on     unit.Opt[bool]
			window float64
			have   string
		}{
			{"net.ipv4.tcp_window_scaling", h.Facts.TCP.WindowScaling, 65535, "windows are not scaled: none is above 64 KiB, of what comes in or goes out"},
			{"net.ipv4.tcp_moderate_rcvbuf", h.Facts.TCP.AutoTuning, begins, fmt.Sprintf("receive windows do not grow above the %s that they begin with", unit.Bytes(begins))},
		} {
			if s.on.Or(true) {
				continue
			}
			w.smallWindow(r, h, s.window, fastest, record.Finding{
				Subject: h.Name + ": " + s.key, Have: s.have, Want: "on",
				Evidence: []record.EvidenceLine{{Host: h.Name, Source: "sysctl " + s.key, Line: s.key + " = 0"}},
				Fix:      "sysctl -w " + s.key + "=1", Undo: "sysctl -w " + s.key + "=0",
			})
		}
	}
}

// smallWindow reports a setting that keeps a host's windows at so many bytes, with what that costs on a link of a rate; nothing where it
// lasts for every round trip of a building.
func (w *World) smallWindow(r *report, h *Host, window float64, fastest unit.BitRate, f record.Finding) {
	trip := window * 8 / float64(fastest)
	if trip >= longTrip {
		return
	}
	f.Severity = record.Warning
	f.Consequence = fmt.Sprintf("one stream fills %s only while a round trip takes less than %s", fastest, unit.Seconds(trip))
	if trip < shortTrip {
		f.Severity = record.Error
	}
	if took, to, ok := w.roundTrip(h); ok && took.Seconds() > trip { // tried, at rest
		rate := unit.BitRate(window * 8 / took.Seconds())
		f.Severity, f.Loss = record.Error, unit.Known(1-float64(rate)/float64(fastest))
		f.Consequence += fmt.Sprintf("; to %s it takes %s at rest, which leaves %s", to, unit.Seconds(took.Seconds()), rate)
	}
	r.found(f, h.Name)
}

// rateOf is the rate of the fastest link of a host: of the plan's, or without a plan of those that are up. 0: none is known.
func (w *World) rateOf(h *Host) (most unit.BitRate) {
	if w.Plan == nil {
		for i := range h.Facts.NICs {
			if n := &h.Facts.NICs[i]; n.Kind == "" && n.Carrier.Or(false) {
				most = max(most, n.Speed.Or(0))
			}
		}
		return most
	}
	for _, p := range w.plugged(h) {
		most = max(most, p.port.Speed)
	}
	if h.Facts.Lab != 0 {
		most = unit.BitRate(float64(most) * h.Facts.Lab)
	}
	return most
}
