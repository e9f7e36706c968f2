package fault

import "linerate/internal/design/ceiling"

// pcieDegraded has the link between slot and card come up with fewer lanes, or slower, than both ends can.
var pcieDegraded = Fault{
	ID: "bus-narrow", Title: "the card's PCI Express link came up narrow or slow", Cause: "pcie-degraded", Kind: Fixture, Terrain: Card,
	Parameters: []Parameter{{Name: "end", Low: 0, High: 1}, {Name: "generation", Low: 1, High: 3}, {Name: "lanes", Low: 0, High: 2}},
	Make: func(p *Place, v Values) {
		gen := int(v["generation"])
		lanes := min(1<<int(v["lanes"]), map[int]int{1: 4, 2: 2, 3: 1}[gen]) // what is less than the link
		e, c := p.either(v["end"]), goodCard(float64(p.Planned))
		c.Bus, c.Slot = c.Bus.at(gts[gen], lanes), c.Slot.at(gts[gen], lanes)
		p.Card(e, c)
		p.limit(busRate(gen, lanes, p.MTU))
	},
}

// gts are GT/s by generation of PCI Express.
var gts = map[int]float64{1: 2.5, 2: 5, 3: 8}

// busRate is the rate of an Ethernet link whose full frames come as fast as such a bus carries them, in bits per second: a frame has 14 bytes
// around its IP packet on the bus and 38 on the wire.
func busRate(generation, lanes, mtu int) float64 { return busRateOf(generation, lanes, 256, mtu) }

// busRateOf is the same with a MaxPayload, in bytes.
func busRateOf(generation, lanes, payload, mtu int) float64 {
	c, err := ceiling.PCIeWrite(ceiling.PCIe{Generation: generation, Lanes: lanes, Payload: payload})
	if err != nil {
		panic(err) // of the table's own numbers
	}
	return float64(c.Rate) * float64(mtu+38) / float64(mtu+14)
}

// either is the sender for 0 and the receiver for 1.
func (p *Place) either(end float64) End {
	if end < 0.5 {
		return p.Sender
	}
	return p.Receiver
}
