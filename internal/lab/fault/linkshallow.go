package fault

import "fmt"

// linkShallow is a slower link behind the switch with a buffer of a few packets, which nobody can be asked about.
var linkShallow = Fault{
	ID: "link-shallow", Title: "a slower link behind the switch, with a buffer of a few packets", Cause: "shallow-buffer", Kind: Live, Terrain: Near, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.3, High: 0.7}, {Name: "buffer", Unit: "B", Low: 15e3, High: 40e3, Log: true}},
	Make: func(p *Place, v Values) {
		p.Wire("--rate", bitsOf(v["share"]*float64(p.Rate)), "--queue", fmt.Sprintf("%.0fB", v["buffer"]))
	},
}
