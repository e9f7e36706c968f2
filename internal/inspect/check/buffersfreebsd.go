package check

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// freebsdBuffers is buffers for a host with FreeBSD. There one setting limits how far a window grows by itself, and another one every
// socket's buffer: eight ninths of it, for each cluster of 2048 bytes is counted with its head of 256 (sys/kern/uipc_sockbuf.c). What
// is planned for Linux is twice the window: FreeBSD counts the data alone.
func (w *World) freebsdBuffers(r *report, h *Host, receiving bool, fastest unit.BitRate, planned int64) {
	key, limit := "net.inet.tcp.sendbuf_max", h.Facts.TCP.SendMost
	if receiving {
		key, limit = "net.inet.tcp.recvbuf_max", h.Facts.TCP.ReceiveMost
	}
	const all = "kern.ipc.maxsockbuf"
	have, known := limit.Get()
	socket, known2 := h.Facts.TCP.SocketMost.Get()
	if !known {
		r.notKnown(h.Name+": "+key, "%s", limit.Why())
		return
	}
	if !known2 {
		r.notKnown(h.Name+": "+all, "%s", h.Facts.TCP.SocketMost.Why())
		return
	}
	want, usable := planned/2, socket/9*8
	least := min(have, usable)
	if least >= want {
		return
	}
	f := record.Finding{
		Subject: h.Name + ": " + key, Have: fmt.Sprintf("up to %s", unit.Bytes(least)), Want: fmt.Sprintf("up to %s", unit.Bytes(want)),
		Fix: "sysctl", Undo: "sysctl",
	}
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
	f.Fix += ", and the same in /etc/sysctl.conf"
	w.smallWindow(r, h, float64(least), fastest, f)
}
