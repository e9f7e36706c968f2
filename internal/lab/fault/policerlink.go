package fault

import "fmt"

// policerLink is a policer as a provider has it: a bucket of some milliseconds, and no queue.
var policerLink = Fault{
	ID: "policer-link", Title: "the link drops what is above a rate", Cause: "policer", Kind: Live, Terrain: Near, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.2, High: 0.7}, {Name: "burst", Unit: "s", Low: 0.002, High: 0.01}},
	Make: func(p *Place, v Values) {
		rate := v["share"] * float64(p.Rate)
		p.Wire("--police", bitsOf(rate), "--police-burst", fmt.Sprintf("%.0fB", rate/8*v["burst"]))
	},
}
