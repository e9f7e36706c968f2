package explain

import (
	"fmt"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// notCounted is what is said of a counter that a device does not have; of one that it has, and that says nothing, there is another reason.
const notCounted = " are not counted"

// count reads a counter of the class at a port, before and after. The reason is empty if it is known. Idle time is not taken off: in a
// lossless class nothing else should be, and what is there all the same is to be seen.
func (p proofPort) count(what facts.ClassCounted, class int) (record.ProofCounter, string) {
	subject := fmt.Sprintf("%s: the %s of priority %d", p, classWords[what], class)
	if class == facts.AllClasses {
		subject = fmt.Sprintf("%s: the %s", p, classWords[what])
	}
	a, b := p.shots.Before, p.shots.After
	if a == nil || b == nil {
		return record.ProofCounter{}, p.device + ": its counters around the experiment were not read"
	}
	if _, why := elapsed(a, b); why != "" && why != noClock {
		return record.ProofCounter{}, p.device + ": " + why
	}
	if p.port == "" {
		return record.ProofCounter{}, p.device + ": by which of its ports the traffic goes is not known"
	}
	if m, n := a.NIC(p.port), b.NIC(p.port); m != nil && n != nil && m.Index != 0 && n.Index != 0 && m.Index != n.Index {
		return record.ProofCounter{}, fmt.Sprintf("%s: the interface was made anew in between", p)
	}
	why := subject + notCounted
	for _, after := range b.ClassCounts {
		if after.What != what || after.Subject != p.port || after.Class != class {
			continue
		}
		for _, before := range a.ClassCounts {
			if before.What != what || before.Subject != p.port || before.Class != class || before.Source != after.Source {
				continue
			}
			if after.Value < before.Value {
				why = fmt.Sprintf("%s went back from %d to %d: they were cleared in between", subject, before.Value, after.Value)
				continue
			}
			return record.ProofCounter{Device: p.device, Port: p.port, What: string(what), Source: after.Source, Line: after.Line, Before: before.Value, After: after.Value}, ""
		}
	}
	return record.ProofCounter{}, why
}

// pauses reads how often the class was paused at a port: of the class alone, or, where the fabric has one lossless class, of all
// classes in one. Pauses of the whole link (802.3x) are in none of them.
func (p *proving) pauses(port proofPort, sent bool) (record.ProofCounter, string) {
	what, whole := facts.ClassPauseReceived, facts.PauseReceived
	if sent {
		what, whole = facts.ClassPauseSent, facts.PauseSent
	}
	c, why := port.count(what, p.class.Priority)
	if why == "" || p.lossless != 1 || !strings.HasSuffix(why, notCounted) {
		return c, why
	}
	if c, w := port.count(what, facts.AllClasses); w == "" {
		return c, ""
	}
	// Only a switch's: a card's counter has pauses of the whole link, too.
	if port.at != switchIn && port.at != switchOut {
		return c, why
	}
	if on, known := port.pausesLink(); !known || on {
		return c, why
	}
	was, now, _, w := countReadings(port.port, whole, port.shots.Before, port.shots.After)
	if w != "" || now < was {
		return c, why
	}
	return record.ProofCounter{Device: port.device, Port: port.port, What: string(whole), Source: "the port's counters", Line: fmt.Sprintf("%s: %d", whole, now), Before: was, After: now}, ""
}

// pausesLink says whether the whole link is paused at a port.
func (p proofPort) pausesLink() (on, known bool) {
	n := p.shots.nic(p.port)
	if n == nil || n.Effect == nil {
		return false, false
	}
	rx, ok := n.Effect.PauseRx.Get()
	tx, ok2 := n.Effect.PauseTx.Get()
	return rx || tx, ok && ok2
}

// grew is by how much a counter grew.
func grewBy(c record.ProofCounter) uint64 { return c.After - c.Before }
