package fault

import "fmt"

// routeSegment is a route at the receiver that tells its peers to send small segments.
var routeSegment = Fault{
	ID: "route-segment", Title: "a route at the receiver that announces a small segment size", Cause: "small-segments", Kind: Live, Terrain: Near,
	Parameters: []Parameter{{Name: "size", Unit: "B", Low: 400, High: 700}},
	Make: func(p *Place, v Values) {
		r := p.Receiver
		p.run(r.Host, fmt.Sprintf("ip route add %s/32 dev %s src %s advmss %.0f", p.Sender.Address, r.Interface, r.Address, v["size"]),
			fmt.Sprintf("ip route del %s/32 dev %s", p.Sender.Address, r.Interface))
	},
}
