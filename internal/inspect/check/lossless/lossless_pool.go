package lossless

import (
	"fmt"
	"slices"

	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// LosslessPool checks that each lossless priority has a buffer pool (Onyx).
var LosslessPool = check.Check{
	ID:    "lossless-pool",
	Title: "a part of the buffer for each lossless priority (Onyx)",
	Why: "a switch pauses before its buffer is full. A paused priority that shares the lossy part finds it full of " +
		"other traffic, and loses what comes before the pause takes hold",
	Worst:  record.Warning,
	Source: "NVIDIA, Onyx: traffic pool; mellanox.onyx, onyx_buffer_pool",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			if h.Facts.Switch.Pools != nil {
				pools(w, h, r)
			}
		}
	},
}

// pools compares the lossless pools of a switch with the priorities that any of its ports pauses.
func pools(w *check.World, h *check.Host, r *check.Report) {
	var paused []int
	proof := map[int]classful{}
	for n := range inEffect(w) {
		if on, why := n.classes.PFC(); n.host == h && why == "" {
			for _, k := range on {
				if !slices.Contains(paused, k) {
					paused, proof[k] = append(paused, k), n
				}
			}
		}
	}
	slices.Sort(paused)
	name := "roce"
	var kept []int
	var lines []record.EvidenceLine
	for _, p := range h.Facts.Switch.Pools {
		lines = append(lines, record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line})
		if p.Lossless {
			name, kept = p.Name, append(kept, p.Priorities...)
		}
	}
	for _, k := range paused {
		if slices.Contains(kept, k) {
			continue
		}
		f := proof[k].finding("pfc")
		f.Severity, f.Subject = record.Warning, h.Subject(fmt.Sprintf("priority %d", k))
		f.Have, f.Want = "it is paused, and has no lossless part of the buffer", "a lossless pool with it"
		f.Evidence = append(f.Evidence, lines...)
		f.Consequence = "other traffic fills the buffer that it shares: frames of it are dropped all the same, and RDMA " +
			"sends all again from there on"
		f.Fix = fmt.Sprintf("traffic pool %s map switch-priority %d", name, k)
		if len(kept) == 0 {
			f.Fix = fmt.Sprintf("traffic pool %s type lossless; traffic pool %s memory percent 50.00; traffic pool %s map "+
				"switch-priority %d", name, name, name, k)
			f.Undo = fmt.Sprintf("no traffic pool %s force", name)
		}
		r.Found(f, h.Subject(), f.Subject)
	}
	if len(paused) == 0 {
		return // the paused priorities are not known, or there are none: a pool alone is not a fault
	}
	for _, k := range kept {
		if slices.Contains(paused, k) {
			continue
		}
		f := record.Finding{
			Severity: record.Warning, Subject: h.Subject(fmt.Sprintf("priority %d", k)),
			Have: "it has a lossless part of the buffer, and no port pauses it", Want: "PFC for it at every port that it passes",
			Evidence: lines, Consequence: "that part of the buffer is kept from all other traffic, and what does not fit " +
				"into it is dropped",
			Fix: fmt.Sprintf("dcb priority-flow-control priority %d enable; interface ethernet PORT dcb "+
				"priority-flow-control mode on force", k), Undo: fmt.Sprintf("no dcb priority-flow-control priority %d enable", k),
		}
		r.Found(f, h.Subject(), f.Subject)
	}
}
