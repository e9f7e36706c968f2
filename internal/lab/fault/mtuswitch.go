package fault

// mtuSwitch: a port between two ends with jumbo frames that has none, and says nothing when it drops one. The link in front of it hands over
// frames as they are on a wire: a bridge lets super-packets of any MTU through.
var mtuSwitch = Fault{
	ID: "mtu-switch", Title: "a small MTU on the switch's port between two ends with jumbo frames", Cause: "mtu-black-hole", Kind: Live, Terrain: Jumbo, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1400, High: 1500}},
	Make: func(p *Place, v Values) {
		p.mtu(p.Switch, p.Receiver.Port, v["mtu"])
		p.Wire("--seed", "1")
	},
}
