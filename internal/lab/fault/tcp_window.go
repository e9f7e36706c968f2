package fault

import "fmt"

// receiveBuffer keeps the receive buffer of new connections, and with it their TCP window, small.
var receiveBuffer = Fault{ID: "receive-buffer", Title: "net.ipv4.tcp_rmem small at the receiver",
	Cause: "receive-window-cap", Scenario: Far,
	Parameters: []Parameter{{Name: "limit", Unit: "B", Low: 16 << 10, High: 64 << 10, Log: true}},
	Make: func(p *Place, v Values) {
		n := v["limit"]
		p.sysctl(p.Receiver.Host, "net.ipv4.tcp_rmem", fmt.Sprintf("4096 %.0f %.0f", n, n))
	}}

// sendBuffer keeps a sender's data in flight small.
var sendBuffer = Fault{ID: "send-buffer", Title: "net.ipv4.tcp_wmem small at the sender", Cause: "send-buffer-cap",
	Scenario: Far, Parameters: []Parameter{{Name: "limit", Unit: "B", Low: 16 << 10, High: 64 << 10, Log: true}},
	Make: func(p *Place, v Values) {
		n := v["limit"]
		p.sysctl(p.Sender.Host, "net.ipv4.tcp_wmem", fmt.Sprintf("4096 %.0f %.0f", min(n, 16384), n))
	}}

// autotuningOff keeps the receive buffer of new connections at its default, which is small.
var autotuningOff = Fault{ID: "autotuning-off",
	Title: "net.ipv4.tcp_moderate_rcvbuf=0 with a small default at the receiver", Cause: "receive-window-cap",
	Scenario: Far, Parameters: []Parameter{{Name: "default", Unit: "B", Low: 16 << 10, High: 64 << 10, Log: true}},
	Make: func(p *Place, v Values) {
		host := p.Receiver.Host
		limits := p.ask(host, "sysctl -n net.ipv4.tcp_rmem | awk '{print $3}'")
		p.sysctl(host, "net.ipv4.tcp_moderate_rcvbuf", "0")
		p.sysctl(host, "net.ipv4.tcp_rmem", fmt.Sprintf("4096 %.0f %s", v["default"], limits))
	}}

// scalingOff makes a host offer no window scaling.
var scalingOff = Fault{ID: "window-scaling", Title: "net.ipv4.tcp_window_scaling=0 at one end",
	Cause: "window-scaling-off", Scenario: Far, Parameters: []Parameter{anyEnd},
	Make: func(p *Place, v Values) { p.sysctl(p.either(1-v["end"]).Host, "net.ipv4.tcp_window_scaling", "0") }}

// routeCwnd is a route to the receiver whose metric limits the congestion window of connections over it. It applies
// from the second connection on, because the kernel reads the metric from its cache of addresses, which has an entry
// once a connection has ended (tcp_metrics.c: tcp_init_metrics).
var routeCwnd = Fault{ID: "route-cwnd", Title: "a route to the receiver with a congestion window that is locked",
	Cause: "cwnd-clamp", Scenario: Far, Parameters: []Parameter{{Name: "segments", Low: 6, High: 20}}, Repeats: 3,
	Make: func(p *Place, v Values) {
		s := p.Sender
		p.run(s.Host,
			fmt.Sprintf("ip route add %s/32 dev %s src %s cwnd lock %.0f", p.Receiver.Address, s.Interface, s.Address,
				v["segments"]),
			fmt.Sprintf("ip route del %s/32 dev %s; ip tcp_metrics flush %[1]s", p.Receiver.Address, s.Interface))
	}}

// routeTCPWindow bounds the TCP window that the receiver offers over one route.
var routeTCPWindow = Fault{ID: "route-window", Title: "a route of the receiver with a window",
	Cause: "receive-window-cap", Scenario: Far,
	Parameters: []Parameter{{Name: "window", Unit: "B", Low: 12 << 10, High: 60 << 10, Log: true}},
	Make:       func(p *Place, v Values) { p.routeMetric(p.Receiver, fmt.Sprintf("window %.0f", v["window"])) }}

// routeMetric adds words to the connected route of an end's subnet.
func (p *Place) routeMetric(e End, words string) {
	route := fmt.Sprintf("ip route change %s dev %s proto kernel scope link src %s", e.Prefix, e.Interface, e.Address)
	p.run(e.Host, route+" "+words, route)
}
