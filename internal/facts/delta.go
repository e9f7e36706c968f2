package facts

import (
	"math"
	"time"
)

// CoreShare is what a core did between two captures, as shares of its time; the
// shares add up to 1.
type CoreShare struct {
	Core                                                  int
	User, Nice, System, Idle, IOWait, IRQ, SoftIRQ, Steal float64
}

// Busy is the share of the time in which the core worked for this host.
func (s CoreShare) Busy() float64 { return s.User + s.Nice + s.System + s.IRQ + s.SoftIRQ }

// Elapsed is the time between two captures of a host, by its clock since boot, else
// by its wall clock. It is false when the second is not the later one, or the host
// was started anew in between.
func Elapsed(before, after *Facts) (time.Duration, bool) {
	if before == nil || after == nil || rebooted(before, after) {
		return 0, false
	}
	a, okA := before.Uptime.Get()
	b, okB := after.Uptime.Get()
	if okA && okB {
		return max(b-a, 0), b > a
	}
	if before.When.IsZero() || after.When.IsZero() {
		return 0, false
	}
	d := after.When.Sub(before.When)
	return max(d, 0), d > 0
}

func rebooted(before, after *Facts) bool {
	return before.Boot != "" && after.Boot != "" && before.Boot != after.Boot
}

// subtractable says whether counters of the two captures can be subtracted.
func subtractable(before, after *Facts) bool {
	return before != nil && after != nil && !rebooted(before, after)
}

// CPUDelta is what each core did between two captures. A core is left out when it
// is in one capture only, was taken off line in between (its times restart), or no
// tick passed. Idle and iowait may go back by a little, which counts as no time:
// https://docs.kernel.org/filesystems/proc.html says that iowait is not reliable.
func CPUDelta(before, after *Facts) []CoreShare {
	if !subtractable(before, after) {
		return nil
	}
	old := map[int]CoreTime{}
	for _, c := range before.CPU.Cores {
		old[c.Core] = c
	}
	var shares []CoreShare
	for _, now := range after.CPU.Cores {
		was, ok := old[now.Core]
		if !ok {
			continue
		}
		s := CoreShare{Core: now.Core, User: now.User - was.User, Nice: now.Nice - was.Nice, System: now.System - was.System,
			Idle: math.Max(0, now.Idle-was.Idle), IOWait: math.Max(0, now.IOWait-was.IOWait),
			IRQ: now.IRQ - was.IRQ, SoftIRQ: now.SoftIRQ - was.SoftIRQ, Steal: now.Steal - was.Steal}
		if min(s.User, s.Nice, s.System, s.IRQ, s.SoftIRQ, s.Steal) < 0 {
			continue
		}
		total := s.User + s.Nice + s.System + s.Idle + s.IOWait + s.IRQ + s.SoftIRQ + s.Steal
		if !(total > 0) {
			continue
		}
		for _, v := range []*float64{&s.User, &s.Nice, &s.System, &s.Idle, &s.IOWait, &s.IRQ, &s.SoftIRQ, &s.Steal} {
			*v /= total
		}
		shares = append(shares, s)
	}
	return shares
}

// CounterDelta is by how much a counter of an interface grew: one of the kernel's
// (rx_bytes) or else one of the driver's. It is false when either capture lacks it,
// and when it went back: the interface was made anew or its counters reset, so that
// what came before is not known.
func CounterDelta(before, after *Facts, iface, name string) (uint64, bool) {
	if !subtractable(before, after) {
		return 0, false
	}
	a, b := before.NIC(iface), after.NIC(iface)
	if a == nil || b == nil || a.Index != 0 && b.Index != 0 && a.Index != b.Index {
		return 0, false
	}
	if _, ok := b.Counters[name]; ok {
		return grown(a.Counters, b.Counters, name)
	}
	return grown(a.Driven, b.Driven, name)
}

// SNMPDelta is by how much a counter of the host's protocols grew, by its name in
// Facts.Counters ("Tcp.RetransSegs"). It is false when either capture lacks it or it
// went back.
func SNMPDelta(before, after *Facts, name string) (uint64, bool) {
	if !subtractable(before, after) {
		return 0, false
	}
	return grown(before.Counters, after.Counters, name)
}

func grown(before, after map[string]uint64, name string) (uint64, bool) {
	a, okA := before[name]
	b, okB := after[name]
	if !okA || !okB || b < a {
		return 0, false
	}
	return b - a, true
}

// QdiscCounters is by how much the counters of a queueing discipline grew.
type QdiscCounters struct {
	Qdisc                             Qdisc // as it is afterwards
	Bytes, Packets, Drops, Overlimits uint64
}

// QdiscDelta is by how much the counters of an interface's queueing disciplines
// grew, in the order of the second capture. One that was put in place or replaced
// in between is left out. Packets, drops and overlimits are 32 bits wide in the
// kernel (struct gnet_stats_queue) and wrap; bytes are 64 and show a reset.
func QdiscDelta(before, after *Facts, iface string) []QdiscCounters {
	if !subtractable(before, after) {
		return nil
	}
	a, b := before.NIC(iface), after.NIC(iface)
	if a == nil || b == nil || a.Index != 0 && b.Index != 0 && a.Index != b.Index {
		return nil
	}
	var deltas []QdiscCounters
	for _, now := range b.Qdiscs {
		for _, was := range a.Qdiscs {
			if was.Kind != now.Kind || was.Handle != now.Handle || was.Parent != now.Parent || now.Bytes < was.Bytes {
				continue
			}
			deltas = append(deltas, QdiscCounters{Qdisc: now, Bytes: now.Bytes - was.Bytes, Packets: wrapped(was.Packets, now.Packets),
				Drops: wrapped(was.Drops, now.Drops), Overlimits: wrapped(was.Overlimits, now.Overlimits)})
			break
		}
	}
	return deltas
}

// SoftnetDelta is what each core's softnet counters grew by; they are 32 bits wide
// in /proc/net/softnet_stat and wrap. A core in one capture only is left out.
func SoftnetDelta(before, after *Facts) []SoftnetCPU {
	if !subtractable(before, after) {
		return nil
	}
	old := map[int]SoftnetCPU{}
	for _, c := range before.Softnet {
		old[c.Core] = c
	}
	var deltas []SoftnetCPU
	for _, now := range after.Softnet {
		if was, ok := old[now.Core]; ok {
			deltas = append(deltas, SoftnetCPU{Core: now.Core, Processed: wrapped(was.Processed, now.Processed),
				Dropped: wrapped(was.Dropped, now.Dropped), TimeSqueeze: wrapped(was.TimeSqueeze, now.TimeSqueeze)})
		}
	}
	return deltas
}

// wrapped is the growth of a counter of 32 bits, or of a wider one that did not wrap.
func wrapped(before, after uint64) uint64 {
	if after >= before {
		return after - before
	}
	return uint64(uint32(after) - uint32(before))
}
