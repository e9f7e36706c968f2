package fault

import "fmt"

// bufferShallow is a port towards the receiver that is slower than planned, with a buffer of a few packets.
var bufferShallow = Fault{
	ID: "buffer-shallow", Title: "the switch's port towards the receiver is slower, with a buffer of a few packets", Cause: "shallow-buffer", Kind: Live, Terrain: Near, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.3, High: 0.7}, {Name: "buffer", Unit: "B", Low: 8e3, High: 30e3, Log: true}},
	Make: func(p *Place, v Values) {
		p.port(v["share"], v["buffer"])
	},
}

// port makes the switch's port towards the receiver a share of its rate fast, with a buffer in bytes. Super-packets are cut into packets
// before the buffer, as they would be on a wire: they are larger than the bucket.
func (p *Place) port(share, buffer float64) {
	dev := p.Receiver.Port
	was := p.root(p.Switch, dev)
	p.run(p.Switch, fmt.Sprintf("tc qdisc replace dev %s root handle 21: tbf rate %s burst 10kb limit %.0f", dev, bits(share*float64(p.Rate)), buffer), was)
}
