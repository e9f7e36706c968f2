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

// root is the command that puts the token bucket of an interface back as it is now. What tc prints of one is rounded, so that the lab's own is
// made again as the lab made it: else it would be a little smaller after each fault.
func (p *Place) root(host, dev string) string {
	if own := p.Buckets[host+" "+dev]; own != "" && p.ask(host, fmt.Sprintf("tc qdisc show dev %s root | grep -c '^qdisc tbf 11:' || true", dev)) == "1" {
		return fmt.Sprintf("tc qdisc replace dev %s root handle 11: %s", dev, own)
	}
	// "qdisc tbf 11: root refcnt 3 rate 189Mbit burst 128Kb lat 21.6ms"; with -d the burst has a cell size behind it, which tc does not take.
	words := p.ask(host, fmt.Sprintf("tc qdisc show dev %s root | head -1 | sed 's/.* refcnt [0-9]* //; s/lat /latency /'", dev))
	return fmt.Sprintf("tc qdisc replace dev %s root handle 11: tbf %s", dev, words)
}
