package fault

// mtuRDMA gives both ends an MTU that RDMA's largest packets do not fit into.
var mtuRDMA = Fault{
	ID: "mtu-rdma", Title: "both ends have an MTU for smaller packets of RDMA than planned", Cause: "rdma-path-mtu", Kind: Live, Terrain: RDMA, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1200, High: 4000}},
	Make: func(p *Place, v Values) {
		for _, e := range []End{p.Sender, p.Receiver} {
			p.mtu(e.Host, e.Interface, v["mtu"])
		}
	},
}

// mtuRDMAEnd gives it to one of them: what it cannot take is lost, so that no measurement is begun.
var mtuRDMAEnd = Fault{
	ID: "mtu-rdma-end", Title: "one end has an MTU for smaller packets of RDMA than the other", Cause: "rdma-path-mtu", Kind: Live, Terrain: RDMA, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1200, High: 4000}, {Name: "end", Low: 0, High: 1}},
	Make: func(p *Place, v Values) {
		e := p.end(v["end"])
		p.mtu(e.Host, e.Interface, v["mtu"])
	},
}
