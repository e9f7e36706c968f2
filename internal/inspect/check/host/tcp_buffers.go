package host

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// fixedTCPWindow checks Linux settings that keep every receive window small, whatever its limit. Without window scaling
// no window exceeds 64 KiB, in either direction (RFC 7323, 2.2). Without buffer moderation it stays at its initial size
// (tcp(7)).
func fixedTCPWindow(w *check.World, r *check.Report) {
	for _, h := range w.Hosts {
		fastest := rateOf(w, h)
		if !h.Traits().Proc || fastest == 0 {
			continue
		}
		begins := float64(h.Facts.TCP.RMem.Or([3]int64{4096, 131072, 0})[1]) / 2
		for _, s := range []struct {
			key    string
			on     unit.Opt[bool]
			window float64
			have   string
		}{
			{"net.ipv4.tcp_window_scaling", h.Facts.TCP.WindowScaling, 65535, "windows are not scaled: none is above 64 KiB, " +
				"of what comes in or goes out"},
			{"net.ipv4.tcp_moderate_rcvbuf", h.Facts.TCP.AutoTuning, begins,
				fmt.Sprintf("receive windows do not grow above the %s that they begin with", unit.Bytes(begins))},
		} {
			if s.on.Or(true) {
				continue
			}
			smallTCPWindow(w, r, h, s.window, fastest, record.Finding{Subject: h.Subject(s.key), Have: s.have, Want: "on",
				Evidence: []record.EvidenceLine{{Host: h.Name, Source: "sysctl " + s.key, Line: s.key + " = 0"}},
				Fix:      "sysctl -w " + s.key + "=1", Undo: "sysctl -w " + s.key + "=0"})
		}
	}
}

// smallTCPWindow reports a setting that keeps a host's TCP windows at this size, with the cost at the rate of its
// fastest link. It reports nothing where the window is enough for every round trip in a building.
func smallTCPWindow(w *check.World, r *check.Report, h *check.Host, tcpWindow float64, fastest unit.BitRate,
	f record.Finding) {
	trip := tcpWindow * 8 / float64(fastest)
	if trip >= check.LongTrip {
		return
	}
	f.Severity = record.Warning
	f.Consequence = fmt.Sprintf("one stream fills %s only while a round trip takes less than %s", fastest,
		unit.Seconds(trip))
	if trip < check.ShortTrip {
		f.Severity = record.Error
	}
	if took, to, ok := w.RoundTrip(h); ok && took.Seconds() > trip { // measured without load
		rate := unit.BitRate(tcpWindow * 8 / took.Seconds())
		f.Severity, f.Loss = record.Error, unit.Known(1-float64(rate)/float64(fastest))
		f.Consequence += fmt.Sprintf("; to %s it takes %s at rest, which leaves %s", to, unit.Seconds(took.Seconds()), rate)
	}
	r.Found(f, h.Subject())
}

// rateOf returns the rate of a host's fastest link in the plan, or without a plan of its fastest active link. 0: not
// known.
func rateOf(w *check.World, h *check.Host) (most unit.BitRate) {
	if w.Plan == nil {
		for i := range h.Facts.NICs {
			if n := &h.Facts.NICs[i]; n.Kind == "" && n.Carrier.Or(false) {
				most = max(most, n.Speed.Or(0))
			}
		}
		return most
	}
	for _, p := range w.Plugged(h) {
		most = max(most, p.Port.Speed)
	}
	if h.Facts.Lab != 0 {
		most = unit.BitRate(float64(most) * h.Facts.Lab)
	}
	return most
}

// freebsdBuffers is buffers for a host with FreeBSD. There, one setting limits the automatic growth of a window, and
// another the buffer of every socket. Eight ninths of the latter are usable, because each cluster of 2048 bytes is
// counted with its header of 256 (sys/kern/uipc_sockbuf.c). The plan for Linux has twice the window, while FreeBSD
// counts only the data.
func freebsdBuffers(w *check.World, r *check.Report, h *check.Host, receiving bool, fastest unit.BitRate,
	planned int64) {
	key, limit := "net.inet.tcp.sendbuf_max", h.Facts.TCP.SendMost
	if receiving {
		key, limit = "net.inet.tcp.recvbuf_max", h.Facts.TCP.ReceiveMost
	}
	const all = "kern.ipc.maxsockbuf"
	have, known := limit.Get()
	socket, known2 := h.Facts.TCP.SocketMost.Get()
	if !known {
		r.NotKnown(h.Name+": "+key, "%s", limit.Why())
		return
	}
	if !known2 {
		r.NotKnown(h.Name+": "+all, "%s", h.Facts.TCP.SocketMost.Why())
		return
	}
	want, usable := planned/2, socket/9*8
	least := min(have, usable)
	if least >= want {
		return
	}
	f := record.Finding{Subject: h.Subject(key), Have: fmt.Sprintf("up to %s", unit.Bytes(least)),
		Want: fmt.Sprintf("up to %s", unit.Bytes(want)), Fix: "sysctl", Undo: "sysctl"}
	line := func(name string, now, then int64) {
		p := h.Facts.Sysctls[name]
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line})
		f.Fix += fmt.Sprintf(" %s=%d", name, then)
		f.Undo += fmt.Sprintf(" %s=%d", name, now)
	}
	if usable < want {
		line(all, socket, want/8*9)
	}
	if have < want {
		line(key, have, want)
	}
	f.Fix += "\nand the same in /etc/sysctl.conf"
	smallTCPWindow(w, r, h, float64(least), fastest, f)
}
