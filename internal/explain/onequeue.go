package explain

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// One core that does all the work of receiving for a card, while others have time: because the card, or the card of a virtual machine, has one
// queue, or because the interrupts of all of its queues go to one core. The state is said by the check.
var (
	oneQueue     = servedByOne("one-rx-queue", "one core that serves the receiving card")
	virtualQueue = servedByOne("vnic-single-queue", "one queue of a virtual machine's card")
)

// mostlyReceives is the share of a core that must be of receiving for it to be full of that.
const mostlyReceives = 0.6

// servedByOne: the state is one piece of evidence, a core that is full of receiving while others idle the other.
func servedByOne(id, title string) Cause {
	return Cause{ID: id, Title: title, Test: func(c *Case) *Match {
		s := c.Receiver
		if s.Port == nil || s.NIC() == nil || c.Ceiling <= 0 || c.Share() >= atCeiling {
			return nil
		}
		f := c.state(id, s, s.Port.Interface)
		if f == nil {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: s.Host + ": " + s.Port.Interface,
			Sentence: fmt.Sprintf("%s is held back by %s: one core does all the work of receiving for %s (%s).", c.subject(), s.Host, s.Port.Interface, f.Have),
			Fix:      fromCheck(s.Host, f.Fix), Undo: fromCheck(s.Host, f.Undo), NextCeiling: c.nextCeiling(""),
		}
		m.Evidence = append(m.Evidence, said(f, "queues")...)
		served, total, known := c.interruptsServed(s)
		core, share := mostOf(served, total)
		if known {
			if share < 0.9 {
				return nil // it was so once, and is so no more
			}
			m.Evidence = append(m.Evidence, record.Evidence{Host: s.Host, Source: "/proc/interrupts", Counter: "interrupts", After: ptr(share), Unit: "share",
				Text: fmt.Sprintf("%s of the %.0f interrupts of %s during the experiment were served by core %d", unit.Percent(share), total, s.Port.Interface, core)})
		}
		uses := c.coreUses(s)
		if len(uses) < 2 {
			return m
		}
		busiest := slices.MaxFunc(uses, func(a, b coreUse) int { return cmp.Compare(a.Receive, b.Receive) })
		idle := 0
		for _, u := range uses {
			if u.Busy < free {
				idle++
			}
		}
		if busiest.Busy < full || busiest.Receive < mostlyReceives || known && busiest.Core != core || idle == 0 {
			return m
		}
		m.Strength = Likely
		m.Evidence = append(m.Evidence, busiest.evidence(s.Host, fmt.Sprintf(", while %d of its %d cores had time left", idle, len(uses))))
		return m
	}}
}
