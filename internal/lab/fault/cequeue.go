package fault

import "fmt"

// ceQueue: hosts that do ECN, and a port whose queue is marked from a few packets on, a fraction of what a round trip takes.
var ceQueue = Fault{
	ID: "ce-queue", Title: "both ends use ECN, and the link marks what finds a few packets in its queue", Cause: "ce-marks", Kind: Live, Terrain: Far, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "threshold", Unit: "B", Low: 3e3, High: 9e3}, {Name: "share", Unit: "1", Low: 0.9, High: 0.97}},
	Make: func(p *Place, v Values) {
		p.ecn()
		p.Wire("--rate", bitsOf(v["share"]*float64(p.Rate)), "--queue", "2MB", "--ce-above", fmt.Sprintf("%.0fB", v["threshold"]))
	},
}

// bitsOf is a rate as this program takes it.
func bitsOf(v float64) string { return fmt.Sprintf("%.3fM", v/1e6) }
