package fault

import "fmt"

// routeWrongNIC sends what is for the receiver's fast address through the slow network.
var routeWrongNIC = Fault{
	ID: "route-wrong-nic", Title: "a route to the receiver over another interface", Cause: "wrong-nic", Kind: Live, Terrain: Near, Needs: []string{NeedsOther},
	Make: func(p *Place, _ Values) {
		route := fmt.Sprintf("%s/32 via %s dev %s", p.Receiver.Address, p.Receiver.OtherAddress, p.Sender.OtherInterface)
		p.run(p.Sender.Host, "ip route add "+route, "ip route del "+route)
	},
}
