package check

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// NicOf returns the interface with the name or with the address on the bus.
func NicOf(h *Host, subject string) *facts.Interface {
	return xslices.At(h.Facts.NICs, func(n *facts.Interface) bool {
		return n.Name == subject || n.PCI != "" && strings.EqualFold(n.PCI, subject)
	})
}

// InBrackets puts a detail, if there is one, in brackets after a blank.
func InBrackets(detail string) string {
	if detail = strings.TrimSpace(detail); detail == "" {
		return ""
	}
	return " (" + detail + ")"
}

// Events returns the events of a kind on all machines.
func (w *World) Events(what facts.Happening) iter.Seq2[*Host, facts.Event] {
	return func(yield func(*Host, facts.Event) bool) {
		for _, h := range w.Hosts {
			for _, e := range h.Facts.Events {
				if e.What == what && !yield(h, e) {
					return
				}
			}
		}
	}
}

// Worded adds the findings of events that need only texts. fix is for those whose fix differs by system.
func Worded(w *World, r *Report, what facts.Happening, f record.Finding, fix ...command) {
	for h, e := range w.Events(what) {
		f := f
		f.Subject, f.Severity = SubjectOf(h, e.Subject), w.There(h, e.Subject, f.Severity)
		f.Have += InBrackets(e.Detail)
		for _, c := range fix {
			f.Fix = c.On(h)
		}
		if e.Count > 1 {
			f.Have += fmt.Sprintf(", said %s times", Count(uint64(e.Count)))
		}
		f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: e.Source, Line: e.Line}}
		r.Found(f, About(h, e.Subject)...)
	}
}

// FastLink is the rate of a link from which on one core may not be enough.
const FastLink = 10e9

// Fastest returns the rate of the fastest link of the plan on a host; 0: there is no plan, or no link.
func (w *World) Fastest(h *Host) (rate unit.BitRate) {
	for _, p := range w.Plugged(h) {
		rate = max(rate, p.Port.Speed)
	}
	return rate
}

// Proven returns the evidence line of a proof on a host.
func Proven(h *Host, p facts.Proof) record.EvidenceLine {
	return record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line}
}

// WantsRDMA reports whether the plan has RDMA on a host.
func WantsRDMA(h *Host) bool {
	if h.Plan == nil {
		return false
	}
	for _, n := range h.Plan.Decl.NICs {
		if n.RDMA != "" && n.RDMA != "none" {
			return true
		}
	}
	return false
}

// LongBacklog is the length of a core's backlog queue, in packets, that holds a burst of some milliseconds at 10 Gb/s.
const LongBacklog = 5000

// LongerBacklog returns a net.core.netdev_max_backlog, in packets, that bursts fit into. It is longer than the present
// one, which now has as printed; empty: not known.
func LongerBacklog(now string) int {
	have, err := strconv.Atoi(now)
	longer := LongBacklog
	for err == nil && have >= longer && longer < 1<<30 {
		longer *= 2
	}
	return longer
}
