package fault

import "fmt"

// netemLoss leaves a network emulator on the sender's interface that delays packets and loses some of them.
var netemLoss = Fault{
	ID: "netem-loss", Title: "a network emulator on the sender loses packets", Cause: "random-loss", Kind: Live, Terrain: Guest, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "loss", Unit: "1", Low: 0.015, High: 0.04, Log: true}, {Name: "delay", Unit: "s", Low: 0.02, High: 0.04}},
	Make: func(p *Place, v Values) {
		host, dev := p.Sender.Host, p.Sender.Interface
		was := p.root(host, dev) // without its inner discipline a tbf passes nothing: it is told its limit again
		p.run(host, fmt.Sprintf("tc qdisc add dev %s parent 11:1 handle 20: netem delay %.1fms loss %.3f%% limit 2000", dev, 1000*v["delay"], 100*v["loss"]),
			fmt.Sprintf("tc qdisc del dev %s parent 11:1; %s", dev, was))
	},
}
