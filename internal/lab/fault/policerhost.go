package fault

import "fmt"

// policerHost leaves a rule in the receiver's own firewall that drops what comes above a rate. The kernel's bucket holds a second of the rate
// and the burst (nft_limit.c), so that a small rate alone binds in a short measurement.
var policerHost = Fault{
	ID: "policer-host", Title: "the receiver's firewall drops what is above a rate (nft)", Cause: "policer", Kind: Live, Terrain: Near,
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.1, High: 0.25}},
	Make:       func(p *Place, v Values) { p.policed("tcp", v["share"]) },
}

// policed has the receiver's firewall drop what comes of a protocol above a share of the link's rate.
func (p *Place) policed(protocol string, share float64) {
	p.run(p.Receiver.Host, fmt.Sprintf("nft add table inet guard && nft add chain inet guard in '{ type filter hook input priority 0; }' && nft add rule inet guard in iifname %s meta l4proto %s limit rate over %.0f bytes/second burst %.0f bytes counter drop",
		p.Receiver.Interface, protocol, share*float64(p.Rate)/8, 8e4), "nft delete table inet guard")
}
