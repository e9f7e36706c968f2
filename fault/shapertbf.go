package fault

import "fmt"

// shaperTBF leaves a token bucket on the sender's interface that is slower than the link.
var shaperTBF = Fault{
	ID: "shaper-tbf", Title: "a token bucket (tbf) left on the sender's interface", Cause: "local-shaper", Kind: Live, Terrain: Near,
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.2, High: 0.8}},
	Make: func(p *Place, v Values) {
		dev := p.Sender.Interface
		was := p.root(p.Sender.Host, dev)
		p.run(p.Sender.Host, fmt.Sprintf("tc qdisc replace dev %s root tbf rate %s burst 64kb limit 500kb", dev, bits(v["share"]*float64(p.Rate))), was)
	},
}

// root is the command that puts the token bucket of an interface back as it is now.
func (p *Place) root(host, dev string) string {
	// "qdisc tbf 11: root refcnt 3 rate 189Mbit burst 128Kb lat 21.6ms"; with -d the burst has a cell size behind it, which tc does not take.
	words := p.ask(host, fmt.Sprintf("tc qdisc show dev %s root | head -1 | sed 's/.* refcnt [0-9]* //; s/lat /latency /'", dev))
	return fmt.Sprintf("tc qdisc replace dev %s root handle 11: tbf %s", dev, words)
}
