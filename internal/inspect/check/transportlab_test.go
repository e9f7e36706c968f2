package check

import (
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// What stands in a lab in place of InfiniBand is no mistake of its hosts; on hardware it is.
func TestInfiniBandOfALab(t *testing.T) {
	for _, scale := range []float64{0, 0.1} {
		w := load(t, split("-- fabric.yaml --\nfabric: pair\nhosts:\n  a: {os: linux, nics: {card: {part: &nic MT25408, mode: ib, rdma: ib, ports: [e1, e2]}}}\n"+
			"  b: {os: linux, nics: {card: {part: *nic, mode: ib, rdma: ib, ports: [e1, e2]}}}\nlinks:\n  - {ends: [a.card.1, b.card.1], subnet: 10.1.0.0/24}\n"))
		w.Hosts[0].Facts.Lab = scale
		w.Hosts[0].Facts.RDMA = []facts.RDMADevice{{Name: "rxe0", Ports: []facts.RDMAPort{{Port: 1, Interface: unit.Known("e1"), LinkLayer: unit.Known("Ethernet"), GIDs: []facts.GID{{Index: 1, Type: unit.Known("RoCE v2"), Interface: unit.Known("e1")}}}}}}
		found := 0
		for _, f := range Run(w, Choice{}).Findings {
			if f.ID == checkTransport.ID || f.ID == checkPortType.ID {
				found++
			}
		}
		if want := map[bool]int{true: 2}[scale == 0]; found != want {
			t.Errorf("scale %v: found %d times, want %d", scale, found, want)
		}
	}
}
