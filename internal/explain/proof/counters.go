package proof

import (
	"fmt"
	"strings"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// notCounted is the text for a counter that a device does not have. A counter that exists but cannot be used has
// another reason.
const notCounted = " are not counted"

// Count reads a counter of the class at a port, before and after. The reason is empty if it is known. The idle rate is
// not subtracted: there should be no other traffic in a lossless class, and if there is, it must show.
func (p Port) Count(what facts.ClassCounted, class int) (record.ProofCounter, string) {
	subject := fmt.Sprintf("%s: the %s of priority %d", p, ClassNames[what], class)
	if class == facts.AllClasses {
		subject = fmt.Sprintf("%s: the %s", p, ClassNames[what])
	}
	a, b := p.Shots.Before, p.Shots.After
	if a == nil || b == nil {
		return record.ProofCounter{}, p.Device + ": its counters around the experiment were not read"
	}
	if _, why := judge.ElapsedSeconds(a, b); why != "" && why != judge.NoTimestamps {
		return record.ProofCounter{}, p.Device + ": " + why
	}
	if p.Port == "" {
		return record.ProofCounter{}, p.Device + ": by which of its ports the traffic goes is not known"
	}
	if m, n := a.NIC(p.Port), b.NIC(p.Port); m != nil && n != nil && m.Index != 0 && n.Index != 0 && m.Index != n.Index {
		return record.ProofCounter{}, fmt.Sprintf("%s: the interface was made again in between", p)
	}
	why := subject + notCounted
	for _, after := range b.ClassCounts {
		if after.What != what || after.Subject != p.Port || after.Class != class {
			continue
		}
		for _, before := range a.ClassCounts {
			if before.What != what || before.Subject != p.Port || before.Class != class || before.Source != after.Source {
				continue
			}
			if after.Value < before.Value {
				why = fmt.Sprintf("%s went back from %d to %d: they were cleared in between", subject, before.Value, after.Value)
				continue
			}
			return record.ProofCounter{Device: p.Device, Port: p.Port, What: string(what), Source: after.Source,
				Line: after.Line, Before: before.Value, After: after.Value}, ""
		}
	}
	return record.ProofCounter{}, why
}

// pauses reads how often the class was paused at a port: the counter of the class, or, where the fabric has one
// lossless class, that of all classes together. Neither includes pauses of the whole link (802.3x).
func (p *proving) pauses(port Port, sent bool) (record.ProofCounter, string) {
	what, whole := facts.ClassPauseReceived, facts.PauseReceived
	if sent {
		what, whole = facts.ClassPauseSent, facts.PauseSent
	}
	c, why := port.Count(what, p.class.Priority)
	if why == "" || p.lossless != 1 || !strings.HasSuffix(why, notCounted) {
		return c, why
	}
	if c, w := port.Count(what, facts.AllClasses); w == "" {
		return c, ""
	}
	// Only a switch's counter is used: a NIC's includes pauses of the whole link.
	if port.at != switchIn && port.at != switchOut {
		return c, why
	}
	if on, known := port.pausesLink(); !known || on {
		return c, why
	}
	was, now, _, w := judge.CountReadings(port.Port, whole, port.Shots.Before, port.Shots.After)
	if w != "" || now < was {
		return c, why
	}
	return record.ProofCounter{Device: port.Device, Port: port.Port, What: string(whole), Source: "the port's counters",
		Line: fmt.Sprintf("%s: %d", whole, now), Before: was, After: now}, ""
}

// pausesLink reports whether the whole link can be paused at a port.
func (p Port) pausesLink() (on, known bool) {
	n := p.Shots.Nic(p.Port)
	if n == nil || n.Effect == nil {
		return false, false
	}
	rx, ok := n.Effect.PauseRx.Get()
	tx, ok2 := n.Effect.PauseTx.Get()
	return rx || tx, ok && ok2
}

// CounterGrowth returns the growth of a counter.
func CounterGrowth(c record.ProofCounter) uint64 { return c.After - c.Before }
