package fault

import "fmt"

// receiveBuffer keeps the receive buffer of new connections, and with it their window, small.
var receiveBuffer = Fault{
	ID: "receive-buffer", Title: "net.ipv4.tcp_rmem small at the receiver", Cause: "receive-window-cap", Kind: Live, Terrain: Far,
	Parameters: []Parameter{{Name: "limit", Unit: "B", Low: 16 << 10, High: 64 << 10, Log: true}},
	Make: func(p *Place, v Values) {
		n := v["limit"]
		p.sysctl(p.Receiver.Host, "net.ipv4.tcp_rmem", fmt.Sprintf("4096 %.0f %.0f", n, n))
	},
}
