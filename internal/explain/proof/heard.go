package proof

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// heard compares the pauses that one end of a link sent with those that the other one counted. A NIC without flow
// control for the priority ignores them: it continues to send, and the end that sent the pauses drops packets. nil: no
// link whose both ends count pauses was paused.
func (p *proving) heard() *record.ProofTest {
	t := proofTest(record.ProofHeard, "the pauses that one end of a link sent were counted at the other",
		"both ends of each link alike")
	var deaf []string
	seen := 0
	for _, port := range p.ports {
		if !port.out() || port.peer < 0 { // each link once; -1: the peer is not known
			continue
		}
		from, to := port, p.ports[port.peer] // the direction of the traffic; pauses go the other way
		sent, why := to.Count(facts.ClassPauseSent, p.class.Priority)
		got, why2 := from.Count(facts.ClassPauseReceived, p.class.Priority)
		if why != "" || why2 != "" || CounterGrowth(sent) == 0 {
			continue
		}
		seen++
		t.Counters = append(t.Counters, sent, got)
		if CounterGrowth(got) == 0 {
			deaf = append(deaf, fmt.Sprintf("%s sent %d pauses of priority %d, and %s counted none", to, CounterGrowth(sent),
				p.class.Priority, from))
		}
	}
	if seen == 0 {
		return nil
	}
	t.Have = fmt.Sprintf("pauses arrived on %s", unit.Counted(seen, "link"))
	if len(deaf) > 0 {
		proofFails(t)
		t.Have = strings.Join(deaf, "; ")
	}
	return t
}
