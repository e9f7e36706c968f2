package fault

import "fmt"

// segmentsFew has segmentation offload put a segment or two into a packet, as a driver does that cannot do more.
var segmentsFew = Fault{
	ID: "segments-few", Title: "segmentation offload at the sender that takes a segment or two at once (gso_max_segs)", Cause: "cpu-per-packet", Kind: Live, Terrain: Fast,
	Parameters: []Parameter{{Name: "segments", Low: 1, High: 2}},
	Make: func(p *Place, v Values) {
		dev := p.Sender.Interface
		was := p.ask(p.Sender.Host, fmt.Sprintf("ip -d link show dev %s | sed -n 's/.*gso_max_segs \\([0-9]*\\).*/\\1/p'", dev))
		p.run(p.Sender.Host, fmt.Sprintf("ip link set dev %s gso_max_segs %.0f", dev, v["segments"]), fmt.Sprintf("ip link set dev %s gso_max_segs %s", dev, was))
	},
}
