package fault

import "fmt"

// offloadsOff has the sender's kernel hand over frames one by one.
var offloadsOff = Fault{
	ID: "offloads-off", Title: "segmentation offload off at the sender", Cause: "offloads-off", Kind: Live, Terrain: Fast,
	Make: func(p *Place, _ Values) {
		dev := p.Sender.Interface
		p.run(p.Sender.Host, fmt.Sprintf("ethtool -K %s tso off gso off", dev), fmt.Sprintf("ethtool -K %s tso on gso on", dev))
	},
}
