package fault

import "fmt"

// linkDeep is a slower link behind the switch with a buffer of many milliseconds, which nobody can be asked about.
var linkDeep = Fault{
	ID: "link-deep", Title: "a slower link behind the switch, with a buffer of many milliseconds", Cause: "deep-buffer", Kind: Live, Terrain: Near, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.25, High: 0.8}, {Name: "wait", Unit: "s", Low: 0.05, High: 0.4, Log: true}},
	Make: func(p *Place, v Values) {
		rate := v["share"] * float64(p.Rate)
		p.Wire("--rate", bitsOf(rate), "--queue", fmt.Sprintf("%.0fB", v["wait"]*rate/8))
	},
}
