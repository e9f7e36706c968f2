package parse

import (
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// TestLLDPTwice: of two outputs about one neighbour one is kept, with the details of the fuller one; a table's second
// neighbour remains.
func TestLLDPTwice(t *testing.T) {
	f := NewBuilder(new(facts.Facts))
	f.Heard("e1", facts.LLDPNeighbour{System: "sw", Port: facts.LLDPID{Value: "Eth1"}})
	f.Heard("e1", facts.LLDPNeighbour{System: "sw", Port: facts.LLDPID{Kind: facts.LLDPInterface, Value: "Eth1"},
		Chassis: facts.LLDPID{Kind: facts.LLDPMAC, Value: "02:00:00:00:00:01"}, TTL: unit.Known(time.Minute)})
	f.Heard("e1", facts.LLDPNeighbour{System: "sw", Port: facts.LLDPID{Value: "Eth1"}})
	f.Heard("e1", facts.LLDPNeighbour{System: "sw", Port: facts.LLDPID{Value: "Eth2"}})
	if l := f.NIC("e1").LLDP; len(l) != 2 || l[0].Chassis.Value == "" {
		t.Errorf("%+v", l)
	}
}
