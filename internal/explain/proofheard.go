package explain

import (
	"fmt"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// heard holds the pauses that one end of a link sent against those that the other one counted. A card that has flow control off for the
// priority ignores them: it goes on sending, and the end that asked drops. nil: no link of which both ends count them was paused.
func (p *proving) heard() *record.ProofTest {
	t := proofTest(record.ProofHeard, "the pauses that one end of a link sent were counted at the other", "both ends of each link alike")
	var deaf []string
	seen := 0
	for _, port := range p.ports {
		if !port.out() || port.peer < 0 { // each link once; -1: its other end is not known
			continue
		}
		from, to := port, p.ports[port.peer] // the traffic's way; pauses go against it
		sent, why := to.count(facts.ClassPauseSent, p.class.Priority)
		got, why2 := from.count(facts.ClassPauseReceived, p.class.Priority)
		if why != "" || why2 != "" || grewBy(sent) == 0 {
			continue
		}
		seen++
		t.Counters = append(t.Counters, sent, got)
		if grewBy(got) == 0 {
			deaf = append(deaf, fmt.Sprintf("%s sent %d pauses of priority %d, and %s counted none", to, grewBy(sent), p.class.Priority, from))
		}
	}
	if seen == 0 {
		return nil
	}
	t.Have = fmt.Sprintf("pauses arrived on %s", plural(seen, "link"))
	if len(deaf) > 0 {
		proofFails(t)
		t.Have = strings.Join(deaf, "; ")
	}
	return t
}
