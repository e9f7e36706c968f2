package fault

import "fmt"

// reorder: some packets are overtaken by more than a round trip's worth of others, as where one link of a bundle has a long queue. Shorter
// detours hold nothing back: the sender learns how far packets stray.
var reorder = Fault{
	ID: "reorder", Title: "packets overtake each other on the link", Cause: "reordering", Kind: Live, Terrain: Far, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "reorder", Unit: "1", Low: 0.01, High: 0.05, Log: true}, {Name: "late", Unit: "s", Low: 0.035, High: 0.06}, {Name: "seed", Low: 1, High: 1e6}},
	Make: func(p *Place, v Values) {
		p.impair("reorder", v)
		p.Wire("--reorder-by", fmt.Sprintf("%gms", v["late"]*1000))
	},
}
