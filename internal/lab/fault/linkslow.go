package fault

// linkSlow has a link come up at a lower speed than both ends offer.
var linkSlow = Fault{
	ID: "link-slow", Title: "the link came up at a lower speed than planned", Cause: "link-speed", Kind: Fixture, Terrain: Card,
	Parameters: []Parameter{{Name: "end", Low: 0, High: 1}, {Name: "step", Low: 0, High: 2}},
	Make: func(p *Place, v Values) {
		e, c := p.either(v["end"]), goodCard(float64(p.Planned))
		c.Speed = []float64{1e9, 2.5e9, 5e9}[int(v["step"])]
		p.Card(e, c)
		p.limit(c.Speed)
	},
}
