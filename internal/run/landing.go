package run

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const (
	// landed is the share of a core from which on its softirq is listed.
	landed = 0.01
	// owner is the share of what both ends had of a core that makes it one end's.
	owner = 0.9
)

// landings says of every core of every machine on top of what its softirq ran, most first. A kernel without a thread
// for it runs a softirq at the end of the system call or interrupt that raised it, in the time of whoever was there.
func landings(rows []record.CPU) []record.Landing {
	var out []record.Landing
	for _, machine := range rows {
		if machine.Core >= 0 {
			continue
		}
		done := map[int]bool{}
		for _, c := range rows {
			if c.Core < 0 || done[c.Core] || c.SoftIRQ < landed || !memberOf(machine.Host, c.Host) {
				continue
			}
			done[c.Core] = true
			l := record.Landing{Host: machine.Host, Core: c.Core, SoftIRQ: c.SoftIRQ}
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
				if e.Core == c.Core && memberOf(machine.Host, e.Host) {
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
			l.Text = landingText(l)
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b record.Landing) int {
		if a.SoftIRQ != b.SoftIRQ {
			return map[bool]int{true: -1, false: 1}[a.SoftIRQ > b.SoftIRQ]
		}
		return a.Core - b.Core
	})
	return out
}

// memberOf says whether a host is one of those of a machine, whose name is all of theirs: "a+b".
func memberOf(machine, host string) bool {
	return strings.Contains("+"+machine+"+", "+"+host+"+")
}

// landingText is a landing in words.
func landingText(l record.Landing) string {
	text := fmt.Sprintf("core %d: softirq %s", l.Core, unit.Percent(l.SoftIRQ))
	if l.Packets > 0 {
		text += fmt.Sprintf(", %s packets/s", unit.Significant(l.Packets))
	}
	if len(l.Ran) == 0 {
		return text + "; on top of whose work it ran is not known"
	}
	rest := l.SoftIRQ - l.Ksoftirqd
	if l.Ksoftirqd >= landed {
		text += fmt.Sprintf(", %s of it in ksoftirqd/%d", unit.Percent(l.Ksoftirqd/l.SoftIRQ), l.Core)
		if rest < landed {
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
		if e.Share >= landed && e.Share >= owner*sum && e.Share > others {
			return text + fmt.Sprintf(" in the system calls of %s, whose threads had %s of this core", e.Who, unit.Percent(e.Share))
		}
	}
	var words []string
	for _, e := range append(ends, record.Ran{Who: "others", Share: others}) {
		if e.Share >= landed {
			words = append(words, fmt.Sprintf("%s %s", e.Who, unit.Percent(e.Share)))
		}
	}
	if len(words) == 0 {
		return text + " in interrupts: nobody's threads had this core"
	}
	return text + " on top of whoever had this core: " + strings.Join(words, ", ")
}

// perCPU is goodput over the processor time of both ends: of their processes, and of all that their hosts did. Nil
// where a part is not known.
func perCPU(goodput float64, rows []record.CPU) *record.PerCPU {
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
			if !memberOf(m, c.Host) {
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
