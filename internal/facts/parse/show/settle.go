package show

import (
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Settle combines several outputs of a switch.
func Settle(f *parse.Builder) {
	settleMembers(f)
	settleNotInEffect(f)
	settleAll(f)
	settleQueueDrops(f)
	settleSaved(f)
	for _, s := range f.Switch.Sensors {
		if ok, known := s.OK.Get(); known && !ok {
			what := map[string]string{"psu": "power supply ", "fan": "fan ",
				"temperature": "temperature sensor "}[s.Kind] + s.Name
			if strings.HasSuffix(s.Name, s.Kind) { // a fan whose name is "fan"
				what = s.Name
			}
			f.Happened(facts.Event{What: facts.HardwareFault, Detail: what + ": " + s.State, Proof: s.Proof})
		}
	}
	for i := range f.Counts {
		c := &f.Counts[i]
		n := f.NIC(c.Subject)
		if n == nil || c.Of.IsKnown() {
			continue
		}
		switch c.What { // some tables also have the frames
		case facts.PauseReceived:
			c.Of = parse.CounterOf(n, "rx_packets")
		case facts.PauseSent:
			c.Of = parse.CounterOf(n, "tx_packets")
		}
	}
}
