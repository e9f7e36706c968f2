package fault

// windowScaling has a host that offers no window scaling.
var windowScaling = Fault{
	ID: "window-scaling", Title: "net.ipv4.tcp_window_scaling=0 at one end", Cause: "window-scaling-off", Kind: Live, Terrain: Far,
	Parameters: []Parameter{{Name: "end", Low: 0, High: 1}},
	Make: func(p *Place, v Values) {
		host := p.Receiver.Host
		if v["end"] == 1 {
			host = p.Sender.Host
		}
		p.sysctl(host, "net.ipv4.tcp_window_scaling", "0")
	},
}
