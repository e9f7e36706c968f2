package proof

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/facts/parse/rdma"
	"linerate/internal/record"
)

// movedShare is the share of the class's packets that a sender's device must have counted for its error counters to be
// valid.
const movedShare = 0.99

// sequence tests for out-of-order and retransmitted packets at the ends: by the traffic's own count, and by the
// counters of RDMA devices, because RDMA traffic has no count of its own.
func (p *proving) sequence() *record.ProofTest {
	t := proofTest(record.ProofSequence, "nothing of the class was lost between its ends", "0 sequence errors")
	lost, own := int64(0), !method.Named(p.traffic).UsesRDMA
	for _, f := range p.flows {
		switch {
		case f.background:
		case f.lost != nil:
			lost, own = lost+*f.lost, true
		case !method.Named(p.traffic).UsesRDMA:
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
		list := port.ofRDMA(func(name string) bool { return rdma.CountedOfRDMA(name) == facts.OutOfSequence })
		for _, c := range list {
			t.Counters = append(t.Counters, c)
			errors += CounterGrowth(c)
		}
		if !method.Named(p.traffic).UsesRDMA {
			continue
		}
		for _, flow := range port.flows {
			counting[flow] = counting[flow] || len(list) > 0
		}
		for _, c := range port.ofRDMA(isNotReady) {
			t.Counters = append(t.Counters, c)
			notReady += CounterGrowth(c)
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
		t.Have += fmt.Sprintf(" (and %d times a receiver that was not ready, which is not a loss of the class)", notReady)
	}
	if method.Named(p.traffic).UsesRDMA && len(counting) == 0 && len(t.Counters) == 0 {
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

// moved tests whether a sender's device counted the packets of the class at all: if it did not, the absence of errors
// proves nothing.
func (p *proving) moved(t *record.ProofTest, port Port) {
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
	list := port.ofRDMA(func(name string) bool { return slices.Contains(rdma.RDMAPacketsSent, name) })
	if len(list) == 0 { // only mlx5's hw_counters: the packets are in counters
		return
	}
	c := slices.MaxFunc(list, func(a, b record.ProofCounter) int {
		return cmp.Compare(CounterGrowth(a), CounterGrowth(b))
	})
	low, high := movedShare*float64(sent), float64(max(uint64(sent), CounterGrowth(c)))
	c.Low, c.High = &low, &high
	t.Counters = append(t.Counters, c)
	if float64(CounterGrowth(c)) < low {
		proofUnknown(t, fmt.Sprintf("%s: its RDMA device %s counted %d packets of %d that were sent, so its counters are "+
			"of something else", port, c.Port, CounterGrowth(c), sent))
	}
}

// isNotReady reports whether a counter counts requests to a receiver without a posted buffer: its CPU was late, and
// nothing was lost on the path.
func isNotReady(name string) bool {
	return strings.Contains(name, "rnr")
}

// ofRDMA returns the selected counters of the RDMA devices on an interface, before and after.
func (p Port) ofRDMA(asked func(name string) bool) (out []record.ProofCounter) {
	a, b := p.Shots.Before, p.Shots.After
	if a == nil || b == nil {
		return nil
	}
	if _, why := judge.ElapsedSeconds(a, b); why != "" && why != judge.NoTimestamps {
		return nil
	}
	for _, d := range b.RDMA {
		on := false
		for _, port := range d.Ports {
			on = on || port.Interface.Or("") == p.Port
		}
		was := a.RDMADevice(d.Name)
		if !on || was == nil {
			continue
		}
		for i := range min(len(d.Ports), len(was.Ports)) {
			for _, all := range [][2]map[string]uint64{{was.Ports[i].Counters, d.Ports[i].Counters},
				{was.Ports[i].HWCounters, d.Ports[i].HWCounters}} {
				for _, name := range slices.Sorted(maps.Keys(all[1])) {
					before, ok := all[0][name]
					after := all[1][name]
					if !ok || after < before || !asked(name) {
						continue
					}
					proof := d.Ports[i].Proofs[name]
					out = append(out, record.ProofCounter{Device: p.Device, Port: d.Name, What: name, Source: proof.Source,
						Line: proof.Line, Before: before, After: after})
				}
			}
		}
	}
	return out
}
