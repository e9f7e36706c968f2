package fault

// pcieUpstream has a bridge between the slot and the processor with less than the card needs, as chipsets and switches have.
var pcieUpstream = Fault{
	ID: "bus-upstream", Title: "a bridge above the card's slot carries less than the card", Cause: "pcie-upstream", Kind: Fixture, Terrain: Card,
	Parameters: []Parameter{{Name: "end", Low: 0, High: 1}, {Name: "generation", Low: 1, High: 3}},
	Make: func(p *Place, v Values) {
		gen := int(v["generation"])
		lanes := map[int]int{1: 2, 2: 1, 3: 1}[gen]
		e, c := p.either(v["end"]), goodCard(float64(p.Planned))
		c.Switch = pcie{gts[gen], gts[gen], lanes, lanes}
		p.Card(e, c)
		p.limit(busRate(gen, lanes, p.MTU))
	},
}
