package remote

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const (
	// minSoftIRQShare is the share of a core from which on its softirq is listed.
	minSoftIRQShare = 0.01
	// minOwnerShare is the share of both ends' time on a core that attributes it to one end.
	minOwnerShare = 0.9
)

// softIRQPlacements lists for every core what its softirq ran on top of, the busiest first. A kernel without a thread
// for it runs a softirq at the end of the system call or interrupt that raised it, in the time of whatever ran then.
func softIRQPlacements(rows []record.CPU) []record.Placement {
	var out []record.Placement
	for _, machine := range rows {
		if machine.Core >= 0 {
			continue
		}
		done := map[int]bool{}
		for _, c := range rows {
			if c.Core < 0 || done[c.Core] || c.SoftIRQ < minSoftIRQShare || !isPartOf(machine.Host, c.Host) {
				continue
			}
			done[c.Core] = true
			l := record.Placement{Host: machine.Host, Core: c.Core, SoftIRQ: c.SoftIRQ}
			if c.Packets != nil {
				l.Packets = *c.Packets
			}
			known := len(machine.Threads) > 0
			kernel := 0.0
			for _, t := range machine.Threads {
				if t.Kind != record.KernelThread || t.Core != c.Core {
					continue
				}
				kernel += t.User + t.System
				if t.Name == fmt.Sprintf("ksoftirqd/%d", c.Core) {
					l.Ksoftirqd = min(t.User+t.System, c.SoftIRQ)
				}
			}
			left := c.Busy() - kernel
			for _, e := range rows {
				if e.Core == c.Core && isPartOf(machine.Host, e.Host) {
					if known = known && e.Own != nil; !known {
						break
					}
					l.Ran = append(l.Ran, record.Ran{Who: e.Host, Share: *e.Own})
					left -= *e.Own
				}
			}
			if known {
				l.Ran = append(l.Ran, record.Ran{Who: "others", Share: max(0, left)})
			} else {
				l.Ran = []record.Ran{}
			}
			l.Text = softIRQText(l)
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b record.Placement) int {
		return cmp.Or(cmp.Compare(b.SoftIRQ, a.SoftIRQ), a.Core-b.Core)
	})
	return out
}

// isPartOf reports whether a host is on a machine, whose name joins those of its hosts: "a+b".
func isPartOf(machine, host string) bool {
	return strings.Contains("+"+machine+"+", "+"+host+"+")
}

// softIRQText describes a CPU placement.
func softIRQText(l record.Placement) string {
	text := fmt.Sprintf("core %d: softirq %s", l.Core, unit.Percent(l.SoftIRQ))
	if l.Packets > 0 {
		text += fmt.Sprintf(", %s packets/s", unit.Significant(l.Packets))
	}
	if len(l.Ran) == 0 {
		return text + "; on top of whose work it ran is not known"
	}
	rest := l.SoftIRQ - l.Ksoftirqd
	if l.Ksoftirqd >= minSoftIRQShare {
		text += fmt.Sprintf(", %s of it in ksoftirqd/%d", unit.Percent(l.Ksoftirqd/l.SoftIRQ), l.Core)
		if rest < minSoftIRQShare {
			return text
		}
		text += "; the rest"
	} else {
		text += ", all of it"
	}
	sum, others := 0.0, 0.0
	var ends []record.Ran
	for _, r := range l.Ran {
		if r.Who == "others" {
			others = r.Share
			continue
		}
		sum += r.Share
		ends = append(ends, r)
	}
	for _, e := range ends {
		if e.Share >= minSoftIRQShare && e.Share >= minOwnerShare*sum && e.Share > others {
			return text + fmt.Sprintf(" in the system calls of %s, whose threads had %s of this core", e.Who,
				unit.Percent(e.Share))
		}
	}
	var words []string
	for _, e := range append(ends, record.Ran{Who: "others", Share: others}) {
		if e.Share >= minSoftIRQShare {
			words = append(words, fmt.Sprintf("%s %s", e.Who, unit.Percent(e.Share)))
		}
	}
	if len(words) == 0 {
		return text + " in interrupts: nobody's threads had this core"
	}
	return text + " on top of whoever had this core: " + strings.Join(words, ", ")
}

// goodputPerCPU is goodput divided by the CPU time of both ends: of their processes, and of their whole hosts. Nil
// where a part is not known.
func goodputPerCPU(goodput float64, rows []record.CPU) *record.PerCPU {
	if goodput <= 0 {
		return nil
	}
	processes, hosts := 0.0, 0.0
	machines, withCores := map[string]bool{}, map[string]bool{}
	for _, c := range rows {
		if c.Core < 0 {
			processes += c.User + c.System
			machines[c.Host] = true
		}
	}
	counted := map[string]bool{}
	for _, c := range rows {
		if c.Core < 0 {
			continue
		}
		for m := range machines {
			if !isPartOf(m, c.Host) {
				continue
			}
			withCores[m] = true
			if at := fmt.Sprint(m, " ", c.Core); !counted[at] {
				counted[at] = true
				hosts += c.Busy()
			}
		}
	}
	out := &record.PerCPU{}
	if processes > 0 {
		v := goodput / processes
		out.Processes = &v
	}
	if hosts > 0 && len(withCores) == len(machines) {
		v := goodput / hosts
		out.Hosts = &v
	}
	if out.Processes == nil && out.Hosts == nil {
		return nil
	}
	return out
}
