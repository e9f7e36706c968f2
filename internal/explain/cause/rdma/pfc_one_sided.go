package rdma

import (
	"fmt"

	"linerate/internal/explain/judge"
	"linerate/internal/explain/proof"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// PFCOneSided is the cause where a port asks the other end of its cable to wait with a priority (PFC, IEEE 802.1Qbb),
// and that end ignores it: it continues to send, and packets that find no room are dropped.
var PFCOneSided = judge.Cause{
	ID: "pfc-one-sided", Title: "pauses of a class that the other end does not heed", Applies: judge.RDMA,
	Test: func(c *judge.Case) *judge.Match {
		if c.Share() >= judge.AtCeiling {
			return nil
		}
		for _, l := range cables(c) {
			for class := range 8 {
				if m := deaf(c, l, class); m != nil {
					return m
				}
			}
		}
		return nil
	},
}

// cable is a cable of the path: its egress port and its ingress port.
type cable struct{ out, in proof.Port }

// cables returns the cables of the path whose both ends are known, from sender to receiver.
func cables(c *judge.Case) (all []cable) {
	if c.Sender.Port == nil || c.Receiver.Port == nil {
		return nil
	}
	at := proof.Port{Device: c.Sender.Host, Port: c.Sender.Port.Interface, Shots: c.Sender.Shots}
	for _, s := range c.Switches {
		all = append(all, cable{at, proof.Port{Device: s.Name, Port: s.In, Shots: s.Shots}})
		at = proof.Port{Device: s.Name, Port: s.Out, Shots: s.Shots}
	}
	return append(all, cable{at, proof.Port{Device: c.Receiver.Host, Port: c.Receiver.Port.Interface,
		Shots: c.Receiver.Shots}})
}

// deaf returns the match for a cable whose receiving port sent pauses, while its sending port counted none, and packets
// were lost. Nil: that is not so, or not known.
func deaf(c *judge.Case, l cable, class int) *judge.Match {
	asked, why := l.in.Count(facts.ClassPauseSent, class)
	heard, why2 := l.out.Count(facts.ClassPauseReceived, class)
	if why != "" || why2 != "" || proof.CounterGrowth(asked) < judge.ManyPauses || proof.CounterGrowth(heard) > 0 {
		return nil
	}
	m := c.Candidate(l.out.String(), "is held back by flow control that only one end of a cable has. %s asked for a "+
		"pause of priority %d %d times, and %s heard none. So it goes on sending, and packets are dropped.", l.in, class,
		proof.CounterGrowth(asked), l.out)
	m.Fix = fmt.Sprintf("on %s: switch PFC on for priority %d on %s, both ways; a NIC of NVIDIA: mlnx_qos -i %s --pfc %s",
		l.out.Device, class, l.out.Port, l.out.Port, onlyPriority(class))
	m.Undo = fmt.Sprintf("on %s: mlnx_qos -i %s --pfc 0,0,0,0,0,0,0,0", l.out.Device, l.out.Port)
	if n := l.out.Shots.Nic(l.out.Port); n != nil && n.Effect != nil {
		if on, why := n.Effect.PFC(); why == "" {
			m.Undo = fmt.Sprintf("on %s: mlnx_qos -i %s --pfc %s", l.out.Device, l.out.Port, priorities(on))
			m.Fix = fmt.Sprintf("on %s: mlnx_qos -i %s --pfc %s", l.out.Device, l.out.Port, priorities(append(on, class)))
		}
	}
	for _, k := range []record.ProofCounter{asked, heard} {
		m.Add(record.Evidence{Host: k.Device, Source: k.Source, Counter: fmt.Sprintf("%s of priority %d",
			proof.ClassNames[facts.ClassCounted(k.What)], class), Before: new(float64(k.Before)), After: new(float64(k.After)),
			Unit: "frames", Text: fmt.Sprintf("%s: %s grew by %d", k.Port, k.Line, proof.CounterGrowth(k))})
	}
	// Ignored pauses cost nothing while there is still room. The losses are the second piece of evidence.
	list, most, _ := sequenceErrors(c)
	for _, k := range list {
		if most >= tellingSequence {
			m.Likely(k.evidence())
		}
	}
	drops, _ := c.Dropped()
	for _, d := range drops {
		if d.Host == l.in.Device && d.Count >= tellingSequence {
			m.Likely(record.Evidence{Host: d.Host, Source: d.Source, Counter: d.Counter, Before: new(0.0), After: new(d.Count),
				IdlePerSecond: d.Idle, Unit: "packets", Text: fmt.Sprintf("%s dropped %.0f packets (%s)", d.Host, d.Count,
					d.Label())})
		}
	}
	return m
}

// priorities formats a list of priorities as mlnx_qos takes them: 0,0,0,1,0,0,0,0.
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
