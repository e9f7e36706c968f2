package explain

import (
	"fmt"
	"maps"
	"slices"

	"linerate/facts"
	"linerate/result"
)

// sequence asks for what came out of order or was sent again, at the ends: the traffic's own count, and of RDMA devices on the way theirs.
func (p *proving) sequence() *result.ProofTest {
	t := proofTest(result.ProofSequence, "nothing of the class was lost between its ends", "0 sequence errors")
	lost := int64(0)
	for _, f := range p.flows {
		if f.beside {
			continue
		}
		if f.lost == nil {
			proofUnknown(t, fmt.Sprintf("%s -> %s: how many packets of the class were lost: %s", f.from, f.to, f.why))
			continue
		}
		lost += *f.lost
	}
	word := "packet of the class was lost"
	if lost != 1 {
		word = "packets of the class were lost"
	}
	t.Have = fmt.Sprintf("%d %s", lost, word)
	if lost > 0 {
		proofFails(t)
	}
	errors := uint64(0)
	for _, port := range p.ports {
		if port.at != atSenders && port.at != atReceivers {
			continue
		}
		for _, c := range port.outOfSequence() {
			t.Counters = append(t.Counters, c)
			errors += grewBy(c)
		}
	}
	if errors > 0 {
		proofFails(t)
		t.Have = fmt.Sprintf("%s, and RDMA devices counted %d sequence errors", t.Have, errors)
	}
	if p.traffic == result.MethodVerbs && len(t.Counters) == 0 {
		proofUnknown(t, "no RDMA device on the way counts sequence errors")
	}
	if t.Passed == nil && lost == 0 {
		t.Have = "not known"
	}
	return t
}

// outOfSequence are the counters of sequence errors of the RDMA devices on an interface.
func (p proofPort) outOfSequence() (out []result.ProofCounter) {
	a, b := p.shots.Before, p.shots.After
	if a == nil || b == nil {
		return nil
	}
	if _, why := elapsed(a, b); why != "" && why != noClock {
		return nil
	}
	for _, d := range b.RDMA {
		on := false
		for _, port := range d.Ports {
			on = on || port.Interface.Or("") == p.port
		}
		if !on {
			continue
		}
		was := a.RDMADevice(d.Name)
		for i := 0; was != nil && i < min(len(d.Ports), len(was.Ports)); i++ {
			for _, name := range slices.Sorted(maps.Keys(d.Ports[i].HWCounters)) {
				before, ok := was.Ports[i].HWCounters[name]
				after := d.Ports[i].HWCounters[name]
				if facts.CountedOfRDMA(name) != facts.OutOfSequence || !ok || after < before {
					continue
				}
				proof := d.Ports[i].Proofs[name]
				out = append(out, result.ProofCounter{Device: p.device, Port: d.Name, What: name, Source: proof.Source, Line: proof.Line, Before: before, After: after})
			}
		}
	}
	return out
}
