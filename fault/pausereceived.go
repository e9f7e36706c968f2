package fault

// pauseReceived has the switch tell the sender to wait, as it does where a receiver behind it is slow.
var pauseReceived = Fault{
	ID: "pause-received", Title: "pause frames hold the sender back", Cause: "pause", Kind: Fixture, Terrain: Card,
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.2, High: 0.7}},
	Make: func(p *Place, v Values) {
		c := goodCard(float64(p.Planned))
		c.Counters["rx_pause_ctrl_phy"] = "tb / 15000"
		c.Counters["rx_global_pause_duration"] = "tb / 500"
		p.Card(p.Sender, c)
		p.limit(v["share"] * float64(p.Planned))
		p.Wire("--queue-packets", "100000") // whoever is told to wait loses nothing
	},
}
