package cause

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/explain/judge"
)

// One core does all the receiving for a NIC, while other cores are idle: because the NIC, or that of a virtual machine,
// has one queue, or because the interrupts of all its queues go to one core. The check finds the state.
var (
	oneQueue     = servedByOne("one-rx-queue", "one core that serves the receiving NIC")
	virtualQueue = servedByOne("vnic-single-queue", "one queue of a virtual machine's NIC")
)

// mostlyReceives is the share of a core's time spent on receiving from which on receiving fills it.
const mostlyReceives = 0.6

// oneCoreReceives is the meaning of one core serving a NIC.
const oneCoreReceives = "One part of the CPU does all the work of receiving and is full, while the others " +
	"have time."

// servedByOne is a cause with two pieces of evidence: the state, and a core that receiving fills while others are idle.
func servedByOne(id, title string) judge.Cause {
	return judge.Cause{ID: id, Title: title, Plain: oneCoreReceives, Applies: judge.IP,
		Test: func(c *judge.Case) *judge.Match {
			s := c.Receiver
			if s.Port == nil || s.NIC() == nil || c.Ceiling <= 0 || c.Share() >= judge.AtCeiling {
				return nil
			}
			f := c.State(id, s, s.Port.Interface)
			if f == nil {
				return nil
			}
			m := c.Candidate(s.Host+": "+s.Port.Interface, "is held back by %s: one core does all the work of receiving "+
				"for %s (%s).", s.Host, s.Port.Interface, f.Have)
			m.FromCheck(s.Host, f)
			m.Add(judge.FindingEvidence(f, "queues")...)
			served, total, known := c.InterruptsServed(s)
			core, share := judge.LargestShare(served, total)
			if known {
				if share < 0.9 {
					return nil // it was so, and no longer is
				}
				m.Add(judge.Reading(s.Host, "/proc/interrupts", "interrupts", share, "share", "%s of the %.0f interrupts of %s "+
					"during the experiment were served by core %d", unit.Percent(share), total, s.Port.Interface, core))
			}
			uses := c.CoreUses(s)
			if len(uses) < 2 {
				return m
			}
			busiest := slices.MaxFunc(uses, func(a, b judge.CoreUse) int { return cmp.Compare(a.Receive, b.Receive) })
			idle := xslices.Count(uses, func(u judge.CoreUse) bool { return u.Busy < judge.CoreFree })
			if busiest.Busy < judge.CoreFull || busiest.Receive < mostlyReceives || known && busiest.Core != core || idle == 0 {
				return m
			}
			m.Likely(busiest.Evidence(s.Host, fmt.Sprintf(", while %d of its %d cores had time left", idle, len(uses))))
			return m
		}}
}
