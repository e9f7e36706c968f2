package explain

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/explain/cause"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// acceptance judges a link and the NICs at its ends by their counters and sensors before, during and after the test.
func acceptance(e *record.Experiment, shots map[string]judge.Shots, r *record.Run) *record.Acceptance {
	wanted, err := strconv.ParseFloat(e.Settings["bit_error_rate"], 64)
	if err != nil {
		wanted = record.DefaultBitErrorRate
	}
	a := &record.Acceptance{Wanted: wanted, Confidence: record.AcceptanceConfidence, Ways: []record.AcceptanceWay{},
		Ends: []record.AcceptanceEnd{}}
	for _, rep := range e.Repeats {
		a.Seconds += rep.Seconds
	}
	for i, end := range e.Ends {
		s := shots[end.Host]
		if s.Before == nil || s.After == nil {
			a.Unknown = append(a.Unknown, end.Host+": what it says of itself before and behind was not kept")
			continue
		}
		a.Ways = append(a.Ways, way(a, e.Ends[1-i], end, s))
		a.Ends = append(a.Ends, acceptedEnd(a, end, s))
		moved(a, end, s)
	}
	a.Loop = looped(e, shots, r)
	for _, f := range r.Findings {
		if f.Severity != record.Error {
			continue
		}
		for _, end := range e.Ends {
			if f.Touches(end.Host, end.Interface) {
				a.Against = append(a.Against, fmt.Sprintf("%s: %s; wanted: %s (%s)", f.Subject, f.Have, f.Want, f.ID))
				break
			}
		}
	}
	a.Against, a.Unknown = slices.Compact(a.Against), slices.Compact(a.Unknown)
	switch {
	case len(a.Against) > 0:
		a.Passed = new(bool)
	case len(a.Unknown) == 0:
		yes := true
		a.Passed = &yes
	}
	return a
}

// looped returns the kind of a loop: ports of one NIC, or of one machine. Empty: it is not a loop.
func looped(e *record.Experiment, shots map[string]judge.Shots, r *record.Run) string {
	var slots []string
	for _, end := range e.Ends {
		if !slices.ContainsFunc(r.Hosts, func(h record.HostState) bool {
			return h.Name == end.Host && strings.HasPrefix(h.Connection, record.LoopConnection)
		}) {
			return ""
		}
		if f := shots[end.Host].After; f != nil && f.NIC(end.Interface) != nil {
			slots = append(slots, facts.PCISlot(f.NIC(end.Interface).PCI))
		}
	}
	if len(slots) == 2 && slots[0] != "" && slots[0] == slots[1] {
		return record.LoopOfNIC
	}
	return record.LoopOfMachine
}

// way returns the result of one direction: what one end received, and how much of it was damaged.
func way(a *record.Acceptance, from, to record.End, s judge.Shots) record.AcceptanceWay {
	w := record.AcceptanceWay{From: from.Host, To: to.Host}
	before, after := s.Before.NIC(to.Interface), s.After.NIC(to.Interface)
	unknown := func(format string, args ...any) record.AcceptanceWay {
		w.Source = fmt.Sprintf(format, args...)
		a.Unknown = append(a.Unknown, fmt.Sprintf("%s -> %s: the rate of bit errors: %s", from.Host, to.Host, w.Source))
		return w
	}
	if before == nil || after == nil {
		return unknown("%s is not in what %s said of itself", to.Interface, to.Host)
	}
	b0, ok0 := before.Counters["rx_bytes"]
	b1, ok1 := after.Counters["rx_bytes"]
	if !ok0 || !ok1 || b1 < b0 {
		return unknown("the bytes that %s received were not counted throughout", to.Interface)
	}
	bits := int64(min((b1-b0)*8, math.MaxInt64))
	w.Bits = &bits
	if after.Kind != "" {
		return unknown("%s is a %s, which has no line on which bits could be damaged", to.Interface, after.Kind)
	}
	if !after.Driver.IsKnown() && after.PCI == "" {
		return unknown("%s has no driver and no place on a bus that are known: whether it is a NIC with a line is not",
			to.Interface)
	}
	if driver := after.Driver.Or(""); judge.IsVirtual[driver] {
		return unknown("%s is a virtual NIC (%s), which has no line on which bits could be damaged", to.Interface, driver)
	}
	errors, source, ok := damaged(to, s)
	if !ok {
		return unknown("the driver of %s counts no damaged frames", to.Interface)
	}
	w.Errors, w.Source = &errors, source
	if bits == 0 {
		return unknown("nothing was received")
	}
	// A damaged frame has at least one wrong bit; at the rates that matter it seldom has more.
	bound := stat.PoissonUpper(errors, a.Confidence) / float64(bits)
	w.Bound = &bound
	switch {
	case bound <= a.Wanted:
	case errors > 0:
		a.Against = append(a.Against, fmt.Sprintf("%s -> %s: %s damaged in %s bits: up to %.2g of all bits are wrong, "+
			"%.2g were to be shown", from.Host, to.Host, unit.Counted(int(errors), "frame"), bitsText(bits), bound, a.Wanted))
	default:
		a.Unknown = append(a.Unknown, fmt.Sprintf("%s -> %s: no error in %s bits shows only a rate below %.2g; a longer "+
			"test shows %.2g", from.Host, to.Host, bitsText(bits), bound, a.Wanted))
	}
	return w
}

// damaged returns how many damaged frames or blocks an end received. Drivers count the same frame under several names,
// so that only the largest counter is used.
func damaged(end record.End, s judge.Shots) (n int64, source string, ok bool) {
	for key, c := range grownOf(s, end.Interface) {
		if c.what != facts.BadFrames && c.what != facts.BadBlocks {
			continue
		}
		if d := int64(c.after - c.before); !ok || d > n || d == n && key < source {
			n, source, ok = d, key, true
		}
	}
	if ok {
		return n, source, true
	}
	before, ok0 := s.Before.NIC(end.Interface).Counters["rx_errors"]
	after, ok1 := s.After.NIC(end.Interface).Counters["rx_errors"]
	if !ok0 || !ok1 || after < before {
		return 0, "", false
	}
	return int64(after - before), "rx_errors of " + end.Interface, true
}

// grown is a counter before and after the test.
type grown struct {
	what          facts.Counted
	line          string
	before, after uint64
}

var decimal = regexp.MustCompile(`[0-9]+`)

// grownOf returns the counters of an interface that were read before and after the test, by source and name.
func grownOf(s judge.Shots, nic string) map[string]grown {
	name := func(c facts.Count) string {
		// The line without the value names the counter.
		value := strconv.FormatUint(c.Value, 10)
		line := decimal.ReplaceAllStringFunc(c.Line, func(n string) string {
			if n == value {
				return ""
			}
			return n
		})
		return strings.TrimSpace(c.Source + ": " + strings.TrimRight(strings.TrimSpace(line), ":= "))
	}
	out := map[string]grown{}
	before := map[string]facts.Count{}
	for _, c := range s.Before.Counts {
		if c.Subject == nic {
			before[string(c.What)+name(c)] = c
		}
	}
	for _, c := range s.After.Counts {
		if b, ok := before[string(c.What)+name(c)]; ok && c.Value >= b.Value {
			out[name(c)] = grown{c.What, c.Line, b.Value, c.Value}
		}
	}
	return out
}

// against are the counters of which a single event fails a link or a NIC.
var against = map[facts.Counted]string{facts.LinkDowns: "the link was lost",
	facts.BusReplays: "PCI Express had to send again", facts.BadBlocks: "FEC could not correct blocks"}

// moved records the error counters that grew.
func moved(a *record.Acceptance, end record.End, s judge.Shots) {
	all := grownOf(s, end.Interface)
	a.Watched += len(all)
	var names []string
	for name, c := range all {
		if c.after > c.before {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		c := all[name]
		a.Changed = append(a.Changed, record.AcceptanceCount{Host: end.Host, What: string(c.what), Line: c.line,
			Before: c.before, After: c.after})
		if words, ok := against[c.what]; ok {
			a.Against = append(a.Against, fmt.Sprintf("%s: %s: %s (%s)", portOf(end), words,
				unit.Counted(int(c.after-c.before), "time"), c.line))
		}
	}
}

// acceptedEnd returns a NIC with its bus and its temperatures.
func acceptedEnd(a *record.Acceptance, end record.End, s judge.Shots) record.AcceptanceEnd {
	out := record.AcceptanceEnd{Host: end.Host, Interface: end.Interface}
	var words []string
	nic := s.After.NIC(end.Interface)
	if nic == nil {
		return out
	}
	at := facts.PCISlot(nic.PCI)
	for i := range s.After.PCI {
		if d := &s.After.PCI[i]; nic.PCI != "" && d.Address == nic.PCI && d.Name != "" {
			words = append(words, d.Name)
		} else if nic.PCI != "" && d.Address == nic.PCI && d.Vendor != "" {
			words = append(words, d.Vendor+":"+d.Device)
		}
	}
	for _, o := range []struct {
		word  string
		value unit.Opt[string]
	}{{"driver ", nic.Driver}, {"firmware ", nic.Firmware}} {
		if v, ok := o.value.Get(); ok && v != "" {
			words = append(words, o.word+v)
		}
	}
	out.NIC = strings.Join(words, ", ")
	if o := nic.Wire.Optic; o != nil {
		out.Module = strings.Join(strings.Fields(strings.Join([]string{o.Form, o.Vendor, o.Part, o.Length}, " ")), " ")
	}
	shots := [3]*facts.Facts{s.Before, s.Loaded(), s.After}
	for i, f := range shots {
		if f != nil && nic.PCI != "" {
			out.Bus[i] = narrowest(f, nic.PCI)
		}
	}
	if nic.PCI != "" && at != "" {
		judgeBus(a, end, out.Bus)
	}
	out.Heat = cause.Heats(end.Interface, shots)
	for _, h := range out.Heat {
		for _, now := range h.Now {
			if now != nil && h.Limit != nil && *now >= *h.Limit {
				a.Against = append(a.Against, fmt.Sprintf("%s: %s reached %.0f degrees, its own limit is %.0f", portOf(end),
					h.Sensor, *now, *h.Limit))
				break
			}
		}
	}
	return out
}

// narrowest returns the slowest link between a NIC and the CPU, as text; empty: not known.
func narrowest(f *facts.Facts, nic string) string {
	var least facts.PCIeLink
	for _, hop := range f.PCIeHops(nic) {
		if now, ok := hop.Down.Now(); ok && now.Speed > 0 && (least.Width == 0 || now.Rate() < least.Rate()) {
			least = now
		}
	}
	if least.Width == 0 {
		return ""
	}
	return least.String()
}

// judgeBus compares the PCIe links during and after the test with those before.
func judgeBus(a *record.Acceptance, end record.End, bus [3]string) {
	if bus[1] == "" {
		a.Unknown = append(a.Unknown, fmt.Sprintf("%s: what PCI Express runs at under load was not read", portOf(end)))
		return
	}
	if bus[2] != "" && bus[1] != bus[2] && bus[0] == bus[1] {
		a.Against = append(a.Against, fmt.Sprintf("%s: PCI Express came down from %s under load to %s behind", portOf(end),
			bus[1], bus[2]))
	}
}

// portOf names an end's port, with its host where that has another name.
func portOf(end record.End) string {
	if end.Host == end.Interface {
		return end.Host
	}
	return end.Host + ": " + end.Interface
}

// bitsText writes a number of bits as powers of ten: 3.1e12.
func bitsText(n int64) string {
	return strings.NewReplacer("e+0", "e", "e+", "e").Replace(fmt.Sprintf("%.1e", float64(n)))
}
