package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// Weight is the limits from which on a counter is reported. Counters are totals since they were cleared, which may be
// long ago: so the share of the frames in the same direction counts.
type Weight struct {
	Few        uint64  // fewer events are ignored
	Warn, fail float64 // share from which on it is a warning, and an error; 0: never
	Alone      uint64  // number of events from which on it is a warning where the frames are not known
}

var (
	// Lost is for frames that are lost for good: no descriptor, a full queue, a bad checksum. A share of 1e-4 limits TCP
	// to some Gb/s at a round trip of 0.1 ms.
	Lost = Weight{100, 1e-4, 1e-2, 1e6}
	// Dropped is for drops without a reason. They include unwanted frames (another VLAN, a protocol without a listener).
	Dropped = Weight{100, 1e-2, 0, 1e6}
	// Paused is for pause frames.
	Paused = Weight{100, 1e-3, 1e-1, 1e6}
	// Blocks is for blocks that FEC could not correct. Each has many frames.
	Blocks = Weight{10, 1e-4, 1e-2, 10}
	// Marked is for ECN marks.
	Marked = Weight{100, 1e-2, 0, 1e6}
	// Storms is for stalls of a lossless queue.
	Storms = Weight{1, 0, 0, 1}
	// Downs is for changes of a link.
	Downs = Weight{101, 0, 0, 101}
)

// Of returns the severity of a counter; empty where it is below all limits.
func (w Weight) Of(c facts.Count) record.Severity {
	moved, known := c.Of.Get()
	switch {
	case c.Value < w.Few:
		return ""
	case !known || moved == 0 || w.Warn == 0:
		if c.Value >= w.Alone {
			return record.Warning
		}
		return ""
	}
	share := Portion(c.Value, moved)
	switch {
	case w.fail > 0 && share >= w.fail:
		return record.Error
	case share >= w.Warn:
		return record.Warning
	}
	return ""
}

// Portion returns the share of lost frames. moved may include them or not.
func Portion(value, moved uint64) float64 {
	return float64(value) / float64(max(value, moved, 1))
}

// Tally is the counters of one subject that are above a limit, the worst first.
type Tally struct {
	Host     *Host
	Subject  string // as the counters have it: an interface, a port, a core; empty: the machine
	severity record.Severity
	Counts   []facts.Count
}

// Tallies returns the tallies of all machines for these kinds of counter, each with its weight.
func (w *World) Tallies(kinds map[facts.Counted]Weight) []Tally {
	var out []Tally
	for _, h := range w.Hosts {
		at := map[string]int{}
		for _, c := range h.Facts.Counts {
			kind, ok := kinds[c.What]
			if !ok {
				continue
			}
			severity := kind.Of(c)
			if severity == "" {
				continue
			}
			severity = w.There(h, c.Subject, severity)
			i, ok := at[c.Subject]
			if !ok {
				i = len(out)
				at[c.Subject] = i
				out = append(out, Tally{Host: h, Subject: c.Subject, severity: severity})
			}
			out[i].Counts = append(out[i].Counts, c)
			if severity.Rank() < out[i].severity.Rank() {
				out[i].severity = severity
			}
		}
	}
	for _, t := range out {
		slices.SortStableFunc(t.Counts, func(a, b facts.Count) int {
			return cmp.Or(cmp.Compare(kinds[a.What].Of(a).Rank(), kinds[b.What].Of(b).Rank()),
				cmp.Compare(Portion(b.Value, b.Of.Or(b.Value)), Portion(a.Value, a.Of.Or(a.Value))))
		})
	}
	return out
}

// idle reports whether a subject is an interface of a planned host that no link of the plan uses.
func (w *World) idle(h *Host, subject string) bool {
	n := h.Facts.NIC(subject)
	return h.Plan != nil && n != nil && !w.Carries(h, subject) && (n.Master == "" || !w.Carries(h, n.Master))
}

// There reduces the severity on an interface that no link of the plan uses, because it does not affect the plan.
func (w *World) There(h *Host, subject string, severity record.Severity) record.Severity {
	if w.idle(h, subject) {
		return record.Info
	}
	return severity
}

// Finding returns the general part of a tally's finding. The check adds the consequence.
func (t Tally) Finding() record.Finding {
	f := record.Finding{Severity: t.severity, Subject: SubjectOf(t.Host, t.Subject), Want: "next to none"}
	for _, c := range t.Counts[:min(3, len(t.Counts))] {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: t.Host.Name, Source: c.Source, Line: c.Line})
	}
	return f
}

// Counted describes a counter: "9,268,210 frames dropped, 18 % of the 51,847,244 that were counted", which may include
// those dropped or not; "655,430,134 frames lost, one of 1,012".
func Counted(c facts.Count, what string) string {
	moved, known := c.Of.Get()
	if !known {
		return fmt.Sprintf("%s %s", Count(c.Value), what)
	}
	if c.Value > moved {
		return fmt.Sprintf("%s %s, next to %s that came through", Count(c.Value), what, frames(moved))
	}
	share := Portion(c.Value, moved)
	if share >= 0.01 {
		return fmt.Sprintf("%s %s, %s of the %s that were counted", Count(c.Value), what, unit.Percent(share), Count(moved))
	}
	return fmt.Sprintf("%s %s, one of %s", Count(c.Value), what, Count(uint64(1/share+0.5)))
}

func frames(n uint64) string {
	switch n {
	case 0:
		return "no frame"
	case 1:
		return "one frame"
	}
	return Count(n) + " frames"
}

// Count writes a number with commas between its thousands.
func Count(n uint64) string {
	s := strconv.FormatUint(n, 10)
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// SubjectOf names a subject of a machine: an interface by its name, also where the words have its address on the bus.
func SubjectOf(h *Host, subject string) record.Subject {
	if subject == "" {
		return h.Subject()
	}
	for i := range h.Facts.NICs {
		if n := &h.Facts.NICs[i]; n.PCI != "" && n.PCI == subject {
			return record.Subject{Host: h.Name, Parts: []string{n.Name}, Bus: subject}
		}
	}
	return h.Subject(subject)
}

// About are the names under which other checks have the subject.
func About(h *Host, subject string) []record.Subject {
	out := []record.Subject{h.Subject(subject)}
	for i := range h.Facts.NICs {
		if n := &h.Facts.NICs[i]; subject != "" && n.PCI == subject {
			out = append(out, h.Subject(n.Name))
		}
	}
	return out
}

// UnknownShare returns the sentence for counters whose number of frames is not known.
func UnknownShare(c facts.Count) string {
	if c.Of.IsKnown() {
		return ""
	}
	return "; of how many frames is not in the snapshot"
}
