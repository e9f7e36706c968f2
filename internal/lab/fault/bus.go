package fault

import "linerate/internal/design/ceiling"

// pcieDegraded makes the link between slot and NIC narrower or slower than both ends support.
var pcieDegraded = Fault{ID: "bus-narrow", Title: "the NIC's PCI Express link came up narrow or slow",
	Cause: "pcie-degraded", Scenario: WithNIC,
	Parameters: []Parameter{anyEnd, {Name: "generation", Low: 1, High: 3}, {Name: "lanes", Low: 0, High: 2}},
	Make: func(p *Place, v Values) {
		gen := int(v["generation"])
		lanes := min(1<<int(v["lanes"]), map[int]int{1: 4, 2: 2, 3: 1}[gen]) // less than the link needs
		e, c := p.either(v["end"]), goodNIC(float64(p.Planned))
		c.Bus, c.Slot = c.Bus.at(gts[gen], lanes), c.Slot.at(gts[gen], lanes)
		p.NIC(e, c)
		p.limit(busRate(gen, lanes, p.MTU))
	}}

// gts are GT/s by generation of PCI Express.
var gts = map[int]float64{1: 2.5, 2: 5, 3: 8}

// busRate returns the rate of an Ethernet link whose full frames arrive at the speed of such a bus, in bits per second:
// a frame has 14 bytes around its IP packet on the bus and 38 on the wire.
func busRate(generation, lanes, mtu int) float64 { return busRateOf(generation, lanes, 256, mtu) }

// busRateOf is busRate with a MaxPayload, in bytes.
func busRateOf(generation, lanes, payload, mtu int) float64 {
	c, err := ceiling.PCIeWrite(ceiling.PCIe{Generation: generation, Lanes: lanes, Payload: payload})
	if err != nil {
		panic(err) // not for the numbers in the table
	}
	return float64(c.Rate) * float64(mtu+38) / float64(mtu+14)
}

// either returns the sender for 0 and the receiver for 1.
func (p *Place) either(end float64) End {
	if end < 0.5 {
		return p.Sender
	}
	return p.Receiver
}

// pcieUpstream puts a bridge that is slower than the NIC between the slot and the CPU, like those of chipsets and
// switches.
var pcieUpstream = Fault{ID: "bus-upstream", Title: "a bridge above the NIC's slot carries less than the NIC",
	Cause: "pcie-upstream", Scenario: WithNIC, Parameters: []Parameter{anyEnd, {Name: "generation", Low: 1, High: 3}},
	Make: func(p *Place, v Values) {
		gen := int(v["generation"])
		lanes := map[int]int{1: 2, 2: 1, 3: 1}[gen]
		e, c := p.either(v["end"]), goodNIC(float64(p.Planned))
		c.Switch = pcie{gts[gen], gts[gen], lanes, lanes}
		p.NIC(e, c)
		p.limit(busRate(gen, lanes, p.MTU))
	}}

// payloadSmall makes the receiver's NIC write packets of 128 bytes to memory, over a slot that is fast enough with
// larger ones.
var payloadSmall = Fault{ID: "bus-packets", Title: "the receiver's NIC writes small packets over its PCI Express link",
	Cause: "pcie-payload", Scenario: Wide, Parameters: []Parameter{{Name: "can", Low: 1, High: 3}},
	Make: func(p *Place, v Values) {
		c := goodNIC(float64(p.Planned))
		x8 := pcie{gts[2], gts[2], 8, 8}
		c.Bus, c.Slot, c.Switch = x8, x8, x8
		c.Payload, c.MaxPayload = 128, 128<<int(v["can"])
		p.NIC(p.Receiver, c)
		p.limit(busRateOf(2, 8, c.Payload, p.MTU))
	}}
