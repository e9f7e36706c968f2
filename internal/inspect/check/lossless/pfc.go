package lossless

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// PFCAll checks that no more priorities are paused than the adapter supports.
var PFCAll = check.Check{
	ID:    "pfc-all",
	Title: "no more paused priorities than the NIC can have",
	Why: "a NIC keeps buffers for so many lossless classes; what it says beyond them is not so, or it pauses " +
		"everything",
	Worst:  record.Warning,
	Source: "dcb-pfc(8): pfc-cap; IEEE 802.1Qbb",
	Look: func(w *check.World, r *check.Report) {
		for n := range inEffect(w) {
			on, why := n.classes.PFC()
			most, known := n.classes.Capacity.Get()
			if why != "" || !known || len(on) <= most {
				continue
			}
			f := n.finding("pfc", "capacity")
			f.Severity, f.Have, f.Want = record.Warning, fmt.Sprintf("PFC on for %d priorities, of %d that the NIC can have",
				len(on), most), fmt.Sprintf("at most %d, those of lossless classes", most)
			f.Consequence = "which of them are lossless is unknown; where all are paused, one receiver that is too slow " +
				"stops ordinary traffic, too"
			f.Fix, f.Undo = setPFC(n.host, n.nic, []int{3}), setPFC(n.host, n.nic, on)
			r.Found(f, f.Subject)
		}
	},
}

// PFCHeadroom checks that each lossless priority has a receive buffer.
var PFCHeadroom = check.Check{
	ID:    "pfc-headroom",
	Title: "a receive buffer for each lossless priority",
	Why: "between the pause and the last frame that was on its way the NIC has to take what arrives: a buffer of " +
		"less than a frame drops it",
	Worst:  record.Warning,
	Source: "IEEE 802.1Qbb, annex O; mlnx_qos: prio2buffer, buffer_size",
	Look: func(w *check.World, r *check.Report) {
		for n := range inEffect(w) {
			on, why := n.classes.PFC()
			if why != "" {
				continue
			}
			frame := 1518
			if n.nic.MTU > 0 {
				frame = n.nic.MTU + 18
			}
			for _, priority := range on {
				buffer, ok := n.classes.BufferOf[priority]
				size, ok2 := n.classes.Buffers[buffer]
				if !ok || !ok2 || int(size) >= frame {
					continue
				}
				f := n.finding("buffers", "sizes")
				f.Severity, f.Have = record.Warning, fmt.Sprintf("priority %d, which is lossless, is kept in receive buffer %d "+
					"of %d bytes", priority, buffer, size)
				f.Want = fmt.Sprintf("a buffer for more than one frame (%d bytes)", frame)
				f.Consequence = "its frames are lost at the NIC before PFC can pause the sender"
				f.Fix = fmt.Sprintf("give the priority a buffer of its own that has room: mlnx_qos -i %s "+
					"--prio2buffer=0,0,0,1,0,0,0,0 --buffer_size=.. (for priority 3; the sum may not exceed max_buffer_size), or "+
					"dcb buffer set dev %s", n.nic.Name, n.nic.Name)
				f.Undo = "the same with the numbers shown now"
				r.Found(f, f.Subject)
			}
		}
	},
}

// classful is an interface whose traffic classes are known.
type classful struct {
	host    *check.Host
	nic     *facts.Interface
	classes *facts.Classes
}

// inEffect returns the interfaces whose traffic classes in effect are known.
func inEffect(w *check.World) iter.Seq[classful] {
	return func(yield func(classful) bool) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				if n := &h.Facts.NICs[i]; n.Effect != nil && !yield(classful{h, n, n.Effect}) {
					return
				}
			}
		}
	}
}

// finding returns a finding with the lines of these aspects as evidence.
func (n classful) finding(aspects ...string) record.Finding {
	f := record.Finding{Subject: n.host.Subject(n.nic.Name)}
	for _, a := range aspects {
		if p, ok := n.classes.Proofs[a]; ok && !slices.Contains(f.Evidence,
			record.EvidenceLine{Host: n.host.Name, Source: p.Source, Line: p.Line}) {
			f.Evidence = append(f.Evidence, record.EvidenceLine{Host: n.host.Name, Source: p.Source, Line: p.Line})
		}
	}
	return f
}

// setPFC returns the command that sets the paused priorities.
func setPFC(h *check.Host, n *facts.Interface, on []int) string {
	list := xslices.Map(on, func(k int) string { return fmt.Sprintf("%d:on", k) })
	if !h.Traits().Proc {
		return "switch PFC on for these priorities alone: " + strings.ReplaceAll(strings.Join(list, ", "), ":on", "")
	}
	return "dcb pfc set dev " + n.Name + " prio-pfc all:off " + strings.Join(list, " ")
}
