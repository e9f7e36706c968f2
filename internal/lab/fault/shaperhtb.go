package fault

import "fmt"

// shaperHTB leaves a class with a ceiling on the sender's interface.
var shaperHTB = Fault{
	ID: "shaper-htb", Title: "a class (htb) with a ceiling left on the sender's interface", Cause: "local-shaper", Kind: Live, Terrain: Near,
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.2, High: 0.8}},
	Make: func(p *Place, v Values) {
		dev, rate := p.Sender.Interface, bits(v["share"]*float64(p.Rate))
		was := p.root(p.Sender.Host, dev)
		p.run(p.Sender.Host, fmt.Sprintf("tc qdisc replace dev %[1]s root handle 1: htb default 10 && tc class add dev %[1]s parent 1: classid 1:10 htb rate %[2]s ceil %[2]s burst 64kb cburst 64kb", dev, rate), was)
	},
}
