package fault

import "fmt"

// mtuReceiver: jumbo frames at the sender only.
var mtuReceiver = Fault{
	ID: "mtu-receiver", Title: "MTU 1500 at the receiver, where jumbo frames are planned", Cause: "mtu-one-sided", Kind: Live, Terrain: Jumbo,
	Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1280, High: 1500}},
	Make:       func(p *Place, v Values) { p.mtu(p.Receiver.Host, p.Receiver.Interface, v["mtu"]) },
}

// mtu sets the MTU of an interface.
func (p *Place) mtu(host, dev string, mtu float64) {
	was := p.ask(host, "cat /sys/class/net/"+dev+"/mtu")
	p.run(host, fmt.Sprintf("ip link set %s mtu %.0f", dev, mtu), fmt.Sprintf("ip link set %s mtu %s", dev, was))
}
