package fault

import (
	"fmt"
	"strings"
)

// gidMoved puts an end's address on its loopback interface, as hosts have it whose addresses are routed: the RDMA device, which works over the
// card, then has no GID of it.
var gidMoved = Fault{
	ID: "gid-moved", Title: "the address of one end is not on the card that RDMA works over", Cause: "gid-index", Kind: Live, Terrain: RDMA, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "end", Low: 0, High: 1}},
	Make: func(p *Place, v Values) {
		e := p.end(v["end"])
		_, bits, _ := strings.Cut(e.Prefix, "/")
		p.run(e.Host, fmt.Sprintf("ip address del %[1]s/%[2]s dev %[3]s && ip address add %[1]s/32 dev lo && ip route add %[4]s dev %[3]s", e.Address, bits, e.Interface, e.Prefix),
			fmt.Sprintf("ip route del %[4]s dev %[3]s; ip address del %[1]s/32 dev lo; ip address add %[1]s/%[2]s dev %[3]s", e.Address, bits, e.Interface, e.Prefix))
	},
}

// end is the sender below one half, else the receiver.
func (p *Place) end(which float64) End {
	if which < 0.5 {
		return p.Sender
	}
	return p.Receiver
}
