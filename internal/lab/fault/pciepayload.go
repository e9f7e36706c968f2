package fault

// payloadSmall has the receiver's card write packets of 128 bytes to memory, over a slot that carries enough with larger ones.
var payloadSmall = Fault{
	ID: "bus-packets", Title: "the receiver's card writes small packets over its PCI Express link", Cause: "pcie-payload", Kind: Fixture, Terrain: Wide,
	Parameters: []Parameter{{Name: "can", Low: 1, High: 3}},
	Make: func(p *Place, v Values) {
		c := goodCard(float64(p.Planned))
		x8 := pcie{gts[2], gts[2], 8, 8}
		c.Bus, c.Slot, c.Switch = x8, x8, x8
		c.Payload, c.MaxPayload = 128, 128<<int(v["can"])
		p.Card(p.Receiver, c)
		p.limit(busRateOf(2, 8, c.Payload, p.MTU))
	},
}
