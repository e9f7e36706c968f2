package host

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// ReceiveBuffer checks the limit of the receive window.
var ReceiveBuffer = check.Check{
	ID:     "receive-window-cap",
	Title:  "how far a receive window may grow",
	Why:    "a window that holds less than a round trip of the link's rate makes the sender wait for every answer",
	Worst:  record.Error,
	Source: "tcp(7); measured in the lab: 15.1 Mb/s with 64 KiB and 20 ms, 14.7 by window / round trip",
	Look: func(w *check.World, r *check.Report) {
		windowsTCPWindow(w, r)
		fixedTCPWindow(w, r)
		buffers(w, r, "net.ipv4.tcp_rmem", func(t *facts.TCP) unit.Opt[[3]int64] { return t.RMem })
	},
}

// SendBuffer checks the limit of the send buffer.
var SendBuffer = check.Check{
	ID:    "send-buffer-cap",
	Title: "how far a send buffer may grow",
	Why: "what is sent stays in the buffer until it is acknowledged: too small a buffer is empty for most of a " +
		"round trip",
	Worst:  record.Error,
	Source: "tcp(7); measured in the lab: half the rate with 64 KiB and 20 ms",
	Look: func(w *check.World, r *check.Report) {
		buffers(w, r, "net.ipv4.tcp_wmem", func(t *facts.TCP) unit.Opt[[3]int64] { return t.WMem })
	},
}

// buffers compares a limit of socket buffers with the planned one. A lower limit costs nothing where the round trip is
// short enough, and the finding says how short.
func buffers(w *check.World, r *check.Report, key string, of func(*facts.TCP) unit.Opt[[3]int64]) {
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
		for _, p := range w.Plugged(h) {
			fastest = max(fastest, p.Port.Speed)
		}
		if want == "" || fastest == 0 {
			continue
		}
		if h.Facts.Lab != 0 {
			fastest = unit.BitRate(float64(fastest) * h.Facts.Lab)
		}
		if h.Traits().Ifconfig {
			var planned [3]int64
			if n, _ := fmt.Sscan(want, &planned[0], &planned[1], &planned[2]); n == 3 {
				freebsdBuffers(w, r, h, key == "net.ipv4.tcp_rmem", fastest, planned[2])
			}
			continue
		}
		have, known := of(&h.Facts.TCP).Get()
		if !known && h.Traits().PowerShell {
			continue // it has levels instead of limits
		}
		if !known {
			r.NotKnown(h.Name+": "+key, "%s", of(&h.Facts.TCP).Why())
			continue
		}
		var planned [3]int64
		if n, _ := fmt.Sscan(want, &planned[0], &planned[1], &planned[2]); n != 3 || have[2] >= planned[2] {
			continue
		}
		// The kernel reserves half of a buffer for its accounting, so that the window is half of it.
		smallTCPWindow(w, r, h, float64(have[2])/2, fastest, record.Finding{
			Subject: h.Subject(key),
			Have:    fmt.Sprintf("up to %s", unit.Bytes(have[2])), Want: fmt.Sprintf("up to %s", unit.Bytes(planned[2])),
			Evidence: []record.EvidenceLine{{Host: h.Name, Source: "sysctl " + key,
				Line: fmt.Sprintf("%s = %d %d %d", key, have[0], have[1], have[2])}},
			Fix:  fmt.Sprintf("sysctl -w %s=%q", key, want),
			Undo: fmt.Sprintf("sysctl -w %s=%q", key, strings.Trim(fmt.Sprint(have), "[]")),
		})
	}
}
