package fault

import "fmt"

// sendBuffer keeps what a sender may have in flight small.
var sendBuffer = Fault{
	ID: "send-buffer", Title: "net.ipv4.tcp_wmem small at the sender", Cause: "send-buffer-cap", Kind: Live, Terrain: Far,
	Parameters: []Parameter{{Name: "limit", Unit: "B", Low: 16 << 10, High: 64 << 10, Log: true}},
	Make: func(p *Place, v Values) {
		n := v["limit"]
		p.sysctl(p.Sender.Host, "net.ipv4.tcp_wmem", fmt.Sprintf("4096 %.0f %.0f", min(n, 16384), n))
	},
}
