package fault

import "fmt"

// lossRDMA loses packets of RDMA where the sender's interface hands them over.
var lossRDMA = Fault{
	ID: "loss-rdma", Title: "a network emulator on the sender loses packets of RDMA", Cause: "rdma-loss", Kind: Live, Terrain: RDMA, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "loss", Unit: "1", Low: 0.02, High: 0.05, Log: true}},
	Make: func(p *Place, v Values) {
		host, dev := p.Sender.Host, p.Sender.Interface
		was := p.root(host, dev)
		p.run(host, fmt.Sprintf("tc qdisc add dev %s parent 11:1 handle 20: netem loss %.3f%% limit 2000", dev, 100*v["loss"]),
			fmt.Sprintf("tc qdisc del dev %s parent 11:1; %s", dev, was))
	},
}
