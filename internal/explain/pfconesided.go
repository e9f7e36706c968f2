package explain

import (
	"fmt"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// pfcOneSided: a port asks the other end of its cable to wait with a priority (PFC, IEEE 802.1Qbb), and that end does not listen: it goes on
// sending, and what finds no room is dropped.
var pfcOneSided = Cause{
	ID: "pfc-one-sided", Title: "pauses of a class that the other end does not heed", Transport: "rdma",
	Test: func(c *Case) *Match {
		if c.Share() >= atCeiling {
			return nil
		}
		for _, l := range c.cables() {
			for class := range 8 {
				if m := c.deaf(l, class); m != nil {
					return m
				}
			}
		}
		return nil
	},
}

// cable is one of the path: the port that the data leaves by, and the one that it comes in by.
type cable struct{ out, in proofPort }

// cables of the path, from sender to receiver, of which both ends are known.
func (c *Case) cables() (all []cable) {
	if c.Sender.Port == nil || c.Receiver.Port == nil {
		return nil
	}
	at := proofPort{device: c.Sender.Host, port: c.Sender.Port.Interface, shots: c.Sender.Shots}
	for _, s := range c.Switches {
		all = append(all, cable{at, proofPort{device: s.Name, port: s.In, shots: s.Shots}})
		at = proofPort{device: s.Name, port: s.Out, shots: s.Shots}
	}
	return append(all, cable{at, proofPort{device: c.Receiver.Host, port: c.Receiver.Port.Interface, shots: c.Receiver.Shots}})
}

// deaf is a cable whose end that takes asked for pauses, while the end that sends counted none, and something was lost. Nil: it is not so, or not known.
func (c *Case) deaf(l cable, class int) *Match {
	asked, why := l.in.count(facts.ClassPauseSent, class)
	heard, why2 := l.out.count(facts.ClassPauseReceived, class)
	if why != "" || why2 != "" || grewBy(asked) < often || grewBy(heard) > 0 {
		return nil
	}
	m := &Match{
		Strength: Candidate, Component: l.out.String(),
		Sentence: fmt.Sprintf("%s is held back by flow control that only one end of a cable has: %s asked for a pause of priority %d %d times, and %s heard none, so that it goes on sending and packets are dropped.",
			c.subject(), l.in, class, grewBy(asked), l.out),
		NextCeiling: c.nextCeiling(""),
		Fix:         fmt.Sprintf("on %s: switch PFC on for priority %d on %s, both ways; a card of NVIDIA: mlnx_qos -i %s --pfc %s", l.out.device, class, l.out.port, l.out.port, onlyPriority(class)),
		Undo:        fmt.Sprintf("on %s: mlnx_qos -i %s --pfc 0,0,0,0,0,0,0,0", l.out.device, l.out.port),
	}
	if n := l.out.shots.nic(l.out.port); n != nil && n.Effect != nil {
		if on, why := n.Effect.PFC(); why == "" {
			m.Undo = fmt.Sprintf("on %s: mlnx_qos -i %s --pfc %s", l.out.device, l.out.port, priorities(on))
			m.Fix = fmt.Sprintf("on %s: mlnx_qos -i %s --pfc %s", l.out.device, l.out.port, priorities(append(on, class)))
		}
	}
	for _, k := range []record.ProofCounter{asked, heard} {
		m.Evidence = append(m.Evidence, record.Evidence{Host: k.Device, Source: k.Source, Counter: fmt.Sprintf("%s of priority %d", classWords[facts.ClassCounted(k.What)], class), Before: ptr(float64(k.Before)), After: ptr(float64(k.After)), Unit: "frames",
			Text: fmt.Sprintf("%s: %s grew by %d", k.Port, k.Line, grewBy(k))})
	}
	// Pauses that nobody heeds cost nothing where there is room all the same: what was lost is the second piece.
	list, most, _ := c.sequenceErrors()
	for _, k := range list {
		if most >= tellingSequence {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, k.evidence())
		}
	}
	drops, _ := c.dropped()
	for _, d := range drops {
		if d.Host == l.in.device && d.Count >= tellingSequence {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, record.Evidence{Host: d.Host, Source: d.Source, Counter: d.Counter, Before: ptr(0), After: ptr(d.Count), IdlePerSecond: d.Idle, Unit: "packets", Text: fmt.Sprintf("%s dropped %.0f packets (%s)", d.Host, d.Count, d.what())})
		}
	}
	return m
}

// priorities are those of a list as mlnx_qos takes them: 0,0,0,1,0,0,0,0.
func priorities(on []int) string {
	set := [8]int{}
	for _, k := range on {
		if k >= 0 && k < 8 {
			set[k] = 1
		}
	}
	s := ""
	for i, v := range set {
		if i > 0 {
			s += ","
		}
		s += fmt.Sprint(v)
	}
	return s
}

func onlyPriority(k int) string { return priorities([]int{k}) }
