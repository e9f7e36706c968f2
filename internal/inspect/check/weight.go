package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// weight is from what on a counter is worth a word. Counters are totals since they were cleared, which may be long ago: it is
// the share of the frames moved the same way that counts.
type weight struct {
	few        uint64  // fewer events are none
	warn, fail float64 // from which share on it is a warning, and an error; 0: never
	alone      uint64  // from how many events on it is a warning where the frames moved are not known
}

var (
	// What is lost for good: no descriptor, a full queue, a bad checksum. At 1e-4 TCP over a round trip of 0.1 ms is held to some Gb/s.
	lost = weight{100, 1e-4, 1e-2, 1e6}
	// Drops of which nobody says why: frames that nobody wanted (another VLAN, a protocol that no one listens to) are among them.
	dropped = weight{100, 1e-2, 0, 1e6}
	paused  = weight{100, 1e-3, 1e-1, 1e6}
	// What FEC could not correct is many frames each.
	blocks = weight{10, 1e-4, 1e-2, 10}
	marked = weight{100, 1e-2, 0, 1e6}
	storms = weight{1, 0, 0, 1}
	downs  = weight{101, 0, 0, 101}
)

// of says what a counter is worth: empty, nothing.
func (w weight) of(c facts.Count) record.Severity {
	moved, known := c.Of.Get()
	switch {
	case c.Value < w.few:
		return ""
	case !known || moved == 0 || w.warn == 0:
		if c.Value >= w.alone {
			return record.Warning
		}
		return ""
	}
	share := portion(c.Value, moved)
	switch {
	case w.fail > 0 && share >= w.fail:
		return record.Error
	case share >= w.warn:
		return record.Warning
	}
	return ""
}

// portion is the share of frames, of which those lost may be among those moved or not.
func portion(value, moved uint64) float64 {
	return float64(value) / float64(max(value, moved, 1))
}

// tally are the counters of one subject that are worth something, the worst first.
type tally struct {
	host     *Host
	subject  string // as the counters have it: an interface, a port, a core; empty: the machine
	severity record.Severity
	counts   []facts.Count
}

// tallies are those of all machines, of the kinds of counter that are given, each with its weight.
func (w *World) tallies(kinds map[facts.Counted]weight) []tally {
	var out []tally
	for _, h := range w.Hosts {
		at := map[string]int{}
		for _, c := range h.Facts.Counts {
			kind, ok := kinds[c.What]
			if !ok {
				continue
			}
			severity := kind.of(c)
			if severity == "" {
				continue
			}
			severity = w.there(h, c.Subject, severity)
			i, ok := at[c.Subject]
			if !ok {
				i = len(out)
				at[c.Subject] = i
				out = append(out, tally{host: h, subject: c.Subject, severity: severity})
			}
			out[i].counts = append(out[i].counts, c)
			if severity.Rank() < out[i].severity.Rank() {
				out[i].severity = severity
			}
		}
	}
	for _, t := range out {
		slices.SortStableFunc(t.counts, func(a, b facts.Count) int {
			return cmp.Or(cmp.Compare(kinds[a.What].of(a).Rank(), kinds[b.What].of(b).Rank()),
				cmp.Compare(portion(b.Value, b.Of.Or(b.Value)), portion(a.Value, a.Of.Or(a.Value))))
		})
	}
	return out
}

// idle says whether a subject is an interface of a host of the plan over which no link of the plan goes.
func (w *World) idle(h *Host, subject string) bool {
	n := h.Facts.NIC(subject)
	return h.Plan != nil && n != nil && !w.carries(h, subject) && (n.Master == "" || !w.carries(h, n.Master))
}

// there is a severity at a place: what happens on an interface over which no link of the plan goes costs the plan nothing.
func (w *World) there(h *Host, subject string, severity record.Severity) record.Severity {
	if w.idle(h, subject) {
		return record.Info
	}
	return severity
}

// finding is what a tally says in general; the check adds what it costs.
func (t tally) finding() record.Finding {
	f := record.Finding{Severity: t.severity, Subject: subjectOf(t.host, t.subject), Want: "next to none"}
	for _, c := range t.counts[:min(3, len(t.counts))] {
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: t.host.Name, Source: c.Source, Line: c.Line})
	}
	return f
}

// counted says a counter in words: "9,268,210 frames dropped, 18 % of the 51,847,244 that were counted", which those dropped may be among or
// not; "655,430,134 frames lost, one of 1,012".
func counted(c facts.Count, what string) string {
	moved, known := c.Of.Get()
	if !known {
		return fmt.Sprintf("%s %s", count(c.Value), what)
	}
	if c.Value > moved {
		return fmt.Sprintf("%s %s, beside %s that came through", count(c.Value), what, frames(moved))
	}
	share := portion(c.Value, moved)
	if share >= 0.01 {
		return fmt.Sprintf("%s %s, %.2g %% of the %s that were counted", count(c.Value), what, 100*share, count(moved))
	}
	return fmt.Sprintf("%s %s, one of %s", count(c.Value), what, count(uint64(1/share+0.5)))
}

func frames(n uint64) string {
	switch n {
	case 0:
		return "no frame"
	case 1:
		return "one frame"
	}
	return count(n) + " frames"
}

// count writes a number with commas between its thousands.
func count(n uint64) string {
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

// subjectOf names a subject of a machine: an interface by its name, also where the words have its address on the bus.
func subjectOf(h *Host, subject string) string {
	if subject == "" {
		return h.Name
	}
	for i := range h.Facts.NICs {
		if n := &h.Facts.NICs[i]; n.PCI != "" && n.PCI == subject {
			return h.Name + ": " + n.Name + " (" + subject + ")"
		}
	}
	return h.Name + ": " + subject
}

// about are the names under which other checks have the subject.
func about(h *Host, subject string) []string {
	out := []string{h.Name + ": " + subject}
	for i := range h.Facts.NICs {
		if n := &h.Facts.NICs[i]; subject != "" && n.PCI == subject {
			out = append(out, h.Name+": "+n.Name)
		}
	}
	return out
}

// unknownShare is the sentence for counters without the frames moved beside them.
func unknownShare(c facts.Count) string {
	if c.Of.IsKnown() {
		return ""
	}
	return "; of how many frames is not in the capture"
}
