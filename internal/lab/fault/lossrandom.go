package fault

import "fmt"

// lossRandom is what a bad cable or a bad port does.
var lossRandom = Fault{
	ID: "loss-random", Title: "the link loses packets at random", Cause: "random-loss", Kind: Live, Terrain: Far, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "loss", Unit: "1", Low: 0.002, High: 0.02, Log: true}, {Name: "seed", Low: 1, High: 1e6}},
	Make:       func(p *Place, v Values) { p.impair("loss", v) },
}

// impair asks for what hits a share of the packets on the link.
func (p *Place) impair(name string, v Values) {
	p.Wire("--"+name, fmt.Sprintf("%.4g%%", 100*v[name]), "--seed", fmt.Sprintf("%.0f", v["seed"]))
}
