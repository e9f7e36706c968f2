package fault

// bufferDeep is a port towards the receiver that is slower than planned, with a buffer of many milliseconds.
var bufferDeep = Fault{
	ID: "buffer-deep", Title: "the switch's port towards the receiver is slower, with a buffer of many milliseconds", Cause: "deep-buffer", Kind: Live, Terrain: Near, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.25, High: 0.8}, {Name: "delay", Unit: "s", Low: 0.05, High: 0.25, Log: true}},
	Make: func(p *Place, v Values) {
		p.port(v["share"], v["delay"]*v["share"]*float64(p.Rate)/8)
	},
}
