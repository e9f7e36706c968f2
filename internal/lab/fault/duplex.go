package fault

// duplexHalf has a link come up in half duplex, as a port does whose other end does not negotiate.
var duplexHalf = Fault{
	ID: "link-half", Title: "the link came up in half duplex", Cause: "duplex", Kind: Fixture, Terrain: Card,
	Parameters: []Parameter{{Name: "end", Low: 0, High: 1}, {Name: "share", Unit: "1", Low: 0.3, High: 0.7}, {Name: "collisions", Unit: "1", Low: 0.02, High: 0.2}},
	Make: func(p *Place, v Values) {
		e, c := p.either(v["end"]), goodCard(float64(p.Planned))
		c.Speed, c.Duplex, c.Collisions = 1e9, "Half", v["collisions"]
		p.Card(e, c)
		p.limit(v["share"] * c.Speed)
	},
}
