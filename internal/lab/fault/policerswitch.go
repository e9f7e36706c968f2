package fault

import "fmt"

// policerSwitch drops what comes above a rate on its way to the receiver, where neither host sees it. See policerHost about the rate.
var policerSwitch = Fault{
	ID: "policer-switch", Title: "the switch drops what is above a rate on its port towards the receiver (nft, bridge family)", Cause: "policer", Kind: Live, Terrain: Near, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.1, High: 0.25}},
	Make: func(p *Place, v Values) {
		rate := v["share"] * float64(p.Rate) / 8
		p.run(p.Switch, fmt.Sprintf("nft add table bridge ports && nft add chain bridge ports leaving '{ type filter hook forward priority 0; }' && nft add rule bridge ports leaving oifname %s limit rate over %.0f bytes/second burst %.0f bytes drop",
			p.Receiver.Port, rate, 8e4), "nft delete table bridge ports")
	},
}
