package fault

import "fmt"

// routeCwnd is a route to the receiver whose metric holds the congestion window of connections over it: from the second on, since the kernel looks
// for the metric in what it remembers of an address, of which there is something when a connection to it has ended (tcp_metrics.c: tcp_init_metrics).
var routeCwnd = Fault{
	ID: "route-cwnd", Title: "a route to the receiver with a congestion window that is locked", Cause: "cwnd-clamp", Kind: Live, Terrain: Far,
	Parameters: []Parameter{{Name: "segments", Low: 6, High: 20}},
	Repeats:    3,
	Make: func(p *Place, v Values) {
		s := p.Sender
		p.run(s.Host, fmt.Sprintf("ip route add %s/32 dev %s src %s cwnd lock %.0f", p.Receiver.Address, s.Interface, s.Address, v["segments"]),
			fmt.Sprintf("ip route del %s/32 dev %s; ip tcp_metrics flush %[1]s", p.Receiver.Address, s.Interface))
	},
}
