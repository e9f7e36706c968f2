package fault

// oneQueue has one core do all the work of receiving, of a card with one queue or with several whose interrupts all go there.
var oneQueue = Fault{
	ID: "queue-single", Title: "one core serves all that the receiver's card receives", Cause: "one-rx-queue", Kind: Fixture, Terrain: Card,
	Parameters: []Parameter{{Name: "queues", Low: 1, High: 8}, {Name: "core", Low: 0, High: 7}, {Name: "share", Unit: "1", Low: 0.2, High: 0.7}},
	Make: func(p *Place, v Values) {
		rate, core := v["share"]*float64(p.Planned), int(v["core"])
		c := goodCard(float64(p.Planned))
		c.Combined = int(v["queues"])
		p.Card(p.Receiver, c)
		p.Processors(p.Receiver, processors{Count: 8, Nodes: 1, Receive: map[int]float64{core: 0.99, (core + 3) % 8: 0.1}, Queues: c.Combined, Serve: func(int) int { return core }, Boot: 3e9}, "rb", rate)
		p.limit(rate)
	},
}
