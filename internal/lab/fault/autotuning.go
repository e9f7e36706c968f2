package fault

import "fmt"

// autotuningOff keeps the receive buffer of new connections at its default, which is small.
var autotuningOff = Fault{
	ID: "autotuning-off", Title: "net.ipv4.tcp_moderate_rcvbuf=0 with a small default at the receiver", Cause: "receive-window-cap", Kind: Live, Terrain: Far,
	Parameters: []Parameter{{Name: "default", Unit: "B", Low: 16 << 10, High: 64 << 10, Log: true}},
	Make: func(p *Place, v Values) {
		host := p.Receiver.Host
		limits := p.ask(host, "sysctl -n net.ipv4.tcp_rmem | awk '{print $3}'")
		p.sysctl(host, "net.ipv4.tcp_moderate_rcvbuf", "0")
		p.sysctl(host, "net.ipv4.tcp_rmem", fmt.Sprintf("4096 %.0f %s", v["default"], limits))
	},
}
