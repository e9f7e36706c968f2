package proof

import (
	"fmt"
	"strings"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// discards tests whether any port on the path dropped packets of the class. A port that does not count by class is
// sufficient evidence where it dropped nothing at all.
func (p *proving) discards() *record.ProofTest {
	t := proofTest(record.ProofDiscards, "no port on the way dropped anything of the class", "0 discards")
	proofUnknown(t, p.unread...)
	all := uint64(0)
	var at []string
	for _, port := range p.ports {
		n, counters, why := p.discardsAt(port)
		t.Counters = append(t.Counters, counters...)
		if why != "" {
			proofUnknown(t, why)
			continue
		}
		if n > 0 {
			all += n
			at = append(at, fmt.Sprintf("%d at %s", n, port))
		}
	}
	switch {
	case all > 0:
		proofFails(t)
		t.Have = fmt.Sprintf("%d packets of the class were dropped (%s)", all, strings.Join(at, ", "))
	case t.Passed == nil:
		t.Have = "not known"
	default:
		t.Have = "0 packets of the class were dropped"
	}
	return t
}

func (p *proving) discardsAt(port Port) (n uint64, counters []record.ProofCounter, why string) {
	what, whole := facts.ClassReceiveDrops, judge.AtIngress
	if port.out() {
		what, whole = facts.ClassSendDrops, judge.AtEgress
	}
	c, why := port.Count(what, port.class)
	if why == "" {
		counters = append(counters, c)
		n = CounterGrowth(c)
		if port.at != atReceivers {
			return n, counters, ""
		}
		// Packets for which the NIC had no descriptor are lost after the port's buffer, and counted in no class.
	}
	if why != "" && !strings.HasSuffix(why, notCounted) {
		return 0, counters, why
	}
	side := judge.Side{Host: port.Device, Shots: port.Shots}
	var sum float64
	read, names := 0, []string(nil)
	for _, k := range whole {
		g, w := side.Shots.GrowthOf(port.Port, k.Counter, side.Shots.Before, side.Shots.After)
		if w != "" {
			continue
		}
		read++
		if g.Gross > 0 {
			sum += g.Gross
			names = append(names, fmt.Sprintf("%s %.0f", k.Counter, g.Gross))
		}
	}
	switch {
	case read == 0 && why == "": // the class's own counter exists
		return n, counters, ""
	case read == 0:
		return 0, counters, fmt.Sprintf("%s: no counter of dropped packets is in its snapshots", port)
	case sum == 0:
		return n, counters, ""
	case why == "" && n > 0:
		return n, counters, ""
	}
	return 0, counters, fmt.Sprintf("%s: packets were dropped (%s), of which class it does not count", port,
		strings.Join(names, ", "))
}
