package fault

// mtuSender: jumbo frames at the receiver only.
var mtuSender = Fault{
	ID: "mtu-sender", Title: "MTU 1500 at the sender, where jumbo frames are planned", Cause: "mtu-one-sided", Kind: Live, Terrain: Jumbo,
	Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1280, High: 1500}},
	Make:       func(p *Place, v Values) { p.mtu(p.Sender.Host, p.Sender.Interface, v["mtu"]) },
}
