package fault

// numaRemote has the interrupts of a card served by the other NUMA node, of which one core is full.
var numaRemote = Fault{
	ID: "node-remote", Title: "a card whose interrupts another NUMA node serves", Cause: "numa-remote", Kind: Fixture, Terrain: Card,
	Parameters: []Parameter{{Name: "end", Low: 0, High: 1}, {Name: "core", Low: 0, High: 3}, {Name: "share", Unit: "1", Low: 0.3, High: 0.8}},
	Make: func(p *Place, v Values) {
		rate, core := v["share"]*float64(p.Planned), int(v["core"])
		e, moved := p.either(v["end"]), "tb"
		if e.Host == p.Receiver.Host {
			moved = "rb"
		}
		c := goodCard(float64(p.Planned))
		c.Combined, c.NUMA = 4, 1
		p.Card(e, c)
		busy := map[int]float64{0: 0.4, 1: 0.5, 2: 0.3, 3: 0.5}
		busy[core] = 0.99
		p.Processors(e, processors{Count: 8, Nodes: 2, Receive: busy, Queues: 4, Serve: func(q int) int { return q }, Boot: 4e8}, moved, rate)
		p.limit(rate)
	},
}
