package check

import (
	"fmt"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkReceiveBuffer = Check{
	ID:     "receive-window-cap",
	Title:  "how far a receive window may grow",
	Why:    "a window that holds less than a round trip of the link's rate makes the sender wait for every answer",
	Worst:  record.Error,
	Source: "tcp(7); measured in the lab: 15.1 Mb/s with 64 KiB and 20 ms, 14.7 by window / round trip",
	look: func(w *World, r *report) {
		windowsWindow(w, r)
		fixedWindow(w, r)
		buffers(w, r, "net.ipv4.tcp_rmem", func(t *facts.TCP) unit.Opt[[3]int64] { return t.RMem })
	},
}

var checkSendBuffer = Check{
	ID:     "send-buffer-cap",
	Title:  "how far a send buffer may grow",
	Why:    "what is sent stays in the buffer until it is acknowledged: too small a buffer is empty for most of a round trip",
	Worst:  record.Error,
	Source: "tcp(7); measured in the lab: half the rate with 64 KiB and 20 ms",
	look: func(w *World, r *report) {
		buffers(w, r, "net.ipv4.tcp_wmem", func(t *facts.TCP) unit.Opt[[3]int64] { return t.WMem })
	},
}

// buffers holds a limit of socket buffers against what the plan sets. A limit below it costs nothing where the round
// trip is short enough: the finding says up to which.
func buffers(w *World, r *report, key string, of func(*facts.TCP) unit.Opt[[3]int64]) {
	for _, h := range w.Hosts {
		if h.Plan == nil {
			continue
		}
		want, fastest := "", unit.BitRate(0)
		for _, s := range h.Plan.Settings {
			if s.Kind == plan.SetSysctl && s.Key == key {
				want = s.Value
			}
		}
		for _, p := range w.plugged(h) {
			fastest = max(fastest, p.port.Speed)
		}
		if want == "" || fastest == 0 {
			continue
		}
		if h.Facts.Lab != 0 {
			fastest = unit.BitRate(float64(fastest) * h.Facts.Lab)
		}
		if h.system() == "freebsd" {
			var planned [3]int64
			if n, _ := fmt.Sscan(want, &planned[0], &planned[1], &planned[2]); n == 3 {
				w.freebsdBuffers(r, h, key == "net.ipv4.tcp_rmem", fastest, planned[2])
			}
			continue
		}
		have, known := of(&h.Facts.TCP).Get()
		if !known && h.system() == "windows" {
			continue // it has levels in place of limits
		}
		if !known {
			r.notKnown(h.Name+": "+key, "%s", of(&h.Facts.TCP).Why())
			continue
		}
		var planned [3]int64
		if n, _ := fmt.Sscan(want, &planned[0], &planned[1], &planned[2]); n != 3 || have[2] >= planned[2] {
			continue
		}
		// Half of a buffer is the kernel's own accounting, so that the window is half of it.
		w.smallWindow(r, h, float64(have[2])/2, fastest, record.Finding{
			Subject: h.Name + ": " + key,
			Have:    fmt.Sprintf("up to %s", unit.Bytes(have[2])), Want: fmt.Sprintf("up to %s", unit.Bytes(planned[2])),
			Evidence: []record.EvidenceLine{{Host: h.Name, Source: "sysctl " + key, Line: fmt.Sprintf("%s = %d %d %d", key, have[0], have[1], have[2])}},
			Fix:      fmt.Sprintf("sysctl -w %s=%q", key, want),
			Undo:     fmt.Sprintf("sysctl -w %s=%q", key, strings.Trim(fmt.Sprint(have), "[]")),
		})
	}
}

// roundTrip is the longest round trip of those that a host tried to its peers, each the shortest of a few small packets.
func (w *World) roundTrip(h *Host) (took time.Duration, to string, ok bool) {
	for _, v := range h.Facts.Probes.Paths {
		rtt, known := v.RTT.Get()
		if _, over := w.over(h, v.To); known && over && rtt > took {
			took, to, ok = rtt, w.named(v.To), true
		}
	}
	return took, to, ok
}

// longTrip is a round trip that no two hosts of a building come near, in seconds: package plan plans buffers for it.
const longTrip = 2e-3

// shortTrip is a round trip that two hosts under load on one switch are above, in seconds: a buffer that does not last
// for it holds every stream back.
const shortTrip = 200e-6
