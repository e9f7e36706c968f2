package proof

import (
	"fmt"

	"linerate/internal/base/method"
	"linerate/internal/facts"
	"linerate/internal/facts/parse/rdma"
	"linerate/internal/record"
)

// relief tests whether the senders were slowed down: by a pause of the class anywhere on the path, or by a mark.
func (p *proving) relief() *record.ProofTest {
	t := proofTest(record.ProofRelief, "a pause of the class, or a mark of ECN, held its senders back",
		"more than 0 pauses or marks")
	paused, marked := uint64(0), uint64(0)
	var missing []string
	heard := map[int]bool{} // senders whose number of pauses is known
	senders := 0
	for i, port := range p.ports {
		// At an egress port the peer sends the pause, at an ingress port this end does.
		c, why := p.pauses(port, !port.out())
		if why == "" {
			t.Counters = append(t.Counters, c)
			paused += CounterGrowth(c)
		}
		switch {
		case port.at == atSenders:
			senders++
			if why == "" {
				heard[i] = true
			} else {
				missing = append(missing, why)
			}
		case why == "" && port.peer >= 0 && p.ports[port.peer].at == atSenders:
			heard[port.peer] = true
		}
		// Marked RDMA belongs to the class.
		if method.Named(p.traffic).UsesRDMA && p.lossless == 1 && port.at == atReceivers {
			for _, m := range port.ofRDMA(func(name string) bool { return rdma.CountedOfRDMA(name) == facts.Marked }) {
				t.Counters = append(t.Counters, m)
				marked += CounterGrowth(m)
			}
		}
		if m, why := port.Count(facts.ClassMarked, port.class); why == "" {
			t.Counters = append(t.Counters, m)
			marked += CounterGrowth(m)
		} else if m, why := port.Count(facts.ClassMarked, facts.AllClasses); why == "" && port.at == switchOut {
			t.Counters = append(t.Counters, m)
			marked += CounterGrowth(m)
		} else if port.at == switchOut && p.class.ECN {
			missing = append(missing, fmt.Sprintf("%s: marks of ECN are not counted", port))
		}
	}
	t.Have = fmt.Sprintf("%d pauses of priority %d and %d marks of ECN were counted", paused, p.class.Priority, marked)
	switch {
	case paused+marked > 0:
	case len(heard) < senders || len(missing) > 0 && p.class.ECN:
		proofUnknown(t, append(missing, p.unread...)...)
		if len(t.NotKnown) == 0 {
			proofUnknown(t, "pauses of the class are not counted at each sender")
		}
		t.Have = "not known"
	default:
		proofFails(t)
		t.Have = fmt.Sprintf("priority %d was neither paused nor marked", p.class.Priority)
	}
	return t
}
