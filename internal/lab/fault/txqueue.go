package fault

import (
	"fmt"
	"regexp"
)

var queueLimit = regexp.MustCompile(` (latency|limit) \S+`)

// txQueue leaves the sender's own queue room for a few packets.
var txQueue = Fault{
	ID: "tx-queue", Title: "a queue of a few packets before the sender's interface", Cause: "tx-queue", Kind: Live, Terrain: Far,
	Parameters: []Parameter{{Name: "packets", Low: 2, High: 6}},
	Make: func(p *Place, v Values) {
		dev := p.Sender.Interface
		was := p.root(p.Sender.Host, dev)
		p.run(p.Sender.Host, queueLimit.ReplaceAllString(was, "")+fmt.Sprintf(" limit %.0f", v["packets"]*float64(p.MTU+14)), was)
	},
}
