package facts

import "strings"

// settleSwitch draws from a switch's answers what only several of them tell together.
func settleSwitch(f *Facts) {
	settleMembers(f)
	settleNotInEffect(f)
	settleEOSMaps(f)
	settleSONiC(f)
	settleAll(f)
	settleQueueDrops(f)
	settleSaved(f)
	for _, s := range f.Switch.Sensors {
		if ok, known := s.OK.Get(); known && !ok {
			what := map[string]string{"psu": "power supply ", "fan": "fan ", "temperature": "temperature sensor "}[s.Kind] + s.Name
			if strings.HasSuffix(s.Name, s.Kind) { // a fan that is called one
				what = s.Name
			}
			f.happened(Event{What: HardwareFault, Detail: what + ": " + s.State, Proof: s.Proof})
		}
	}
	for i := range f.Counts {
		c := &f.Counts[i]
		n := f.NIC(c.Subject)
		if n == nil || c.Of.IsKnown() {
			continue
		}
		switch c.What { // which tables count beside the frames, and which without
		case PauseReceived:
			c.Of = counterOf(n, "rx_packets")
		case PauseSent:
			c.Of = counterOf(n, "tx_packets")
		}
	}
}
