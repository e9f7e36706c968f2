package fault

// ceMarks: hosts that do ECN, and a link that marks packets where there is no queue.
var ceMarks = Fault{
	ID: "ce-random", Title: "both ends use ECN, and the link marks packets without a queue", Cause: "ce-marks", Kind: Live, Terrain: Far, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "ce", Unit: "1", Low: 0.002, High: 0.02, Log: true}, {Name: "seed", Low: 1, High: 1e6}},
	Make: func(p *Place, v Values) {
		p.ecn()
		p.impair("ce", v)
	},
}

// ecn has both ends ask for and agree to ECN.
func (p *Place) ecn() {
	for _, host := range []string{p.Sender.Host, p.Receiver.Host} {
		p.sysctl(host, "net.ipv4.tcp_ecn", "1")
	}
}
