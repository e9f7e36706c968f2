package fault

import "fmt"

// pauseReceived has the switch tell the sender to wait, as it does where a receiver behind it is slow.
var pauseReceived = Fault{
	ID: "pause-received", Title: "pause frames hold the sender back", Cause: "pause", Kind: Fixture, Terrain: Card,
	Parameters: []Parameter{{Name: "share", Unit: "1", Low: 0.2, High: 0.7}},
	Make: func(p *Place, v Values) {
		c := goodCard(float64(p.Planned))
		c.Counters["rx_pause_ctrl_phy"] = "tb / 15000"
		c.Counters["rx_global_pause_duration"] = "tb / 500"
		p.Card(p.Sender, c)
		p.holdBack(p.Sender, v["share"])
	},
}

// holdBack lets the interface's own bucket run slower without the host saying so: a card that is told to wait keeps what it has, and nothing
// is lost.
func (p *Place) holdBack(e End, share float64) {
	was := p.root(e.Host, e.Interface)
	rate := p.ask(e.Host, fmt.Sprintf("tc -j -d qdisc show dev %s root | sed 's/.*\"rate\":\\([0-9]*\\).*/\\1/'", e.Interface))
	p.run(e.Host, fmt.Sprintf("tc qdisc change dev %s root handle 11: tbf rate %s burst 64kb limit 500kb", e.Interface, bits(share*float64(p.Rate))), was)
	filter := fmt.Sprintf(`sed '/"dev":"%s"/s/"rate":[0-9]*/"rate":%s/'`, e.Interface, rate)
	p.tell(e.Host, map[string]string{"tc -j -s -d qdisc": filter}, map[string]string{"tc -j -s -d qdisc": filter})
}
