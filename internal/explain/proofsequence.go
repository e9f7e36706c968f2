package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// movedShare is the least part of the packets of the class that a sender's device has to have counted for its counters to say something of them.
const movedShare = 0.99

// sequence asks for what came out of order or was sent again, at the ends: the traffic's own count, and of RDMA devices on the way theirs. RDMA that is sent
// has no count of its own.
func (p *proving) sequence() *record.ProofTest {
	t := proofTest(record.ProofSequence, "nothing of the class was lost between its ends", "0 sequence errors")
	lost, own := int64(0), p.traffic != record.MethodVerbs
	for _, f := range p.flows {
		switch {
		case f.beside:
		case f.lost != nil:
			lost, own = lost+*f.lost, true
		case p.traffic != record.MethodVerbs:
			proofUnknown(t, fmt.Sprintf("%s -> %s: how many packets of the class were lost: %s", f.from, f.to, f.why))
		}
	}
	word := "packet of the class was lost"
	if lost != 1 {
		word = "packets of the class were lost"
	}
	if t.Have = fmt.Sprintf("%d %s", lost, word); lost > 0 {
		proofFails(t)
	}
	errors, notReady, counting := uint64(0), uint64(0), map[int]bool{}
	for _, port := range p.ports {
		if port.at != atSenders && port.at != atReceivers {
			continue
		}
		list := port.ofRDMA(func(name string) bool { return facts.CountedOfRDMA(name) == facts.OutOfSequence })
		for _, c := range list {
			t.Counters = append(t.Counters, c)
			errors += grewBy(c)
		}
		if p.traffic != record.MethodVerbs {
			continue
		}
		for _, flow := range port.flows {
			counting[flow] = counting[flow] || len(list) > 0
		}
		for _, c := range port.ofRDMA(isNotReady) {
			t.Counters = append(t.Counters, c)
			notReady += grewBy(c)
		}
		p.moved(t, port)
	}
	if errors > 0 {
		proofFails(t)
	}
	switch {
	case !own:
		t.Have = fmt.Sprintf("RDMA devices counted %d sequence errors", errors)
	case errors > 0:
		t.Have = fmt.Sprintf("%s, and RDMA devices counted %d sequence errors", t.Have, errors)
	}
	if notReady > 0 {
		t.Have += fmt.Sprintf(" (and %d times a receiver that was not ready, which is no loss of the class)", notReady)
	}
	if p.traffic == record.MethodVerbs && len(counting) == 0 && len(t.Counters) == 0 {
		proofUnknown(t, "no RDMA device on the way counts sequence errors")
	}
	for i, f := range p.flows {
		if counted, looked := counting[i]; looked && !counted && f.lost == nil {
			proofUnknown(t, fmt.Sprintf("%s -> %s: neither end's RDMA device counts sequence errors", f.from, f.to))
		}
	}
	if t.Passed == nil && lost == 0 && errors == 0 {
		t.Have = "not known"
	}
	return t
}

// moved asks whether a sender's device counted the packets of the class at all: where it did not, that it counted no errors says nothing.
func (p *proving) moved(t *record.ProofTest, port proofPort) {
	if port.at != atSenders {
		return
	}
	sent := int64(0)
	for _, i := range port.flows {
		if p.flows[i].packets == nil {
			return
		}
		sent += *p.flows[i].packets
	}
	list := port.ofRDMA(func(name string) bool { return slices.Contains(facts.RDMAPacketsSent, name) })
	if len(list) == 0 { // mlx5's hw_counters alone: its packets are in counters
		return
	}
	c := slices.MaxFunc(list, func(a, b record.ProofCounter) int { return cmp.Compare(grewBy(a), grewBy(b)) })
	low, high := movedShare*float64(sent), float64(max(uint64(sent), grewBy(c)))
	c.Low, c.High = &low, &high
	t.Counters = append(t.Counters, c)
	if float64(grewBy(c)) < low {
		proofUnknown(t, fmt.Sprintf("%s: its RDMA device %s counted %d packets of %d that were sent, so its counters are of something else", port, c.Port, grewBy(c), sent))
	}
}

// isNotReady says whether a counter is of requests to a receiver that had nothing posted for them: its processor was late, and nothing was lost on the way.
func isNotReady(name string) bool {
	return strings.Contains(name, "rnr")
}

// ofRDMA are the counters of the RDMA devices on an interface that are asked for, before and after.
func (p proofPort) ofRDMA(asked func(name string) bool) (out []record.ProofCounter) {
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
		was := a.RDMADevice(d.Name)
		if !on || was == nil {
			continue
		}
		for i := range min(len(d.Ports), len(was.Ports)) {
			for _, all := range [][2]map[string]uint64{{was.Ports[i].Counters, d.Ports[i].Counters}, {was.Ports[i].HWCounters, d.Ports[i].HWCounters}} {
				for _, name := range slices.Sorted(maps.Keys(all[1])) {
					before, ok := all[0][name]
					after := all[1][name]
					if !ok || after < before || !asked(name) {
						continue
					}
					proof := d.Ports[i].Proofs[name]
					out = append(out, record.ProofCounter{Device: p.device, Port: d.Name, What: name, Source: proof.Source, Line: proof.Line, Before: before, After: after})
				}
			}
		}
	}
	return out
}
