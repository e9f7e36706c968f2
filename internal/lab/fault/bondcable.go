package fault

import "fmt"

// bondCable takes one cable of a bond out, at both ends, as the kernel sees one that was pulled.
var bondCable = Fault{
	ID: "bond-cable", Title: "one cable of a bond is out", Cause: "lag-member-down", Kind: Live, Terrain: Bonded, Needs: []string{NeedsGuests, NeedsBond},
	Parameters: []Parameter{{Name: "cable", Low: 1, High: 2}},
	Make: func(p *Place, v Values) {
		i := int(v["cable"]) - 1
		for _, e := range []End{p.Sender, p.Receiver} {
			p.run(e.Host, fmt.Sprintf("ip link set %s down", e.Members[i]), fmt.Sprintf("ip link set %s up", e.Members[i]))
		}
		p.run(p.Sender.Host, "sleep 1", "") // the bonds look at their members ten times a second, and tell each other
	},
}
