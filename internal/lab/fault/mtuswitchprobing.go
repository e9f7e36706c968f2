package fault

// mtuSwitchProbing is mtuSwitch, where the sender looks for the largest segment that arrives.
var mtuSwitchProbing = Fault{
	ID: "mtu-switch-probing", Title: "the same MTU on the switch, between two ends that probe for it (tcp_mtu_probing)", Cause: "mtu-black-hole", Kind: Live, Terrain: Jumbo, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "mtu", Unit: "B", Low: 1400, High: 1500}},
	Make: func(p *Place, v Values) {
		for _, host := range []string{p.Sender.Host, p.Receiver.Host} {
			p.sysctl(host, "net.ipv4.tcp_mtu_probing", "1")
		}
		mtuSwitch.Make(p, v)
	},
}
