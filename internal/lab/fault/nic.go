package fault

import "fmt"

// linkSlow makes a link negotiate a lower speed than both ends support.
var linkSlow = Fault{ID: "link-slow", Title: "the link came up at a lower speed than planned", Cause: "link-speed",
	Scenario: WithNIC, Parameters: []Parameter{anyEnd, {Name: "step", Low: 0, High: 2}},
	Make: func(p *Place, v Values) {
		e, c := p.either(v["end"]), goodNIC(float64(p.Planned))
		c.Speed = []float64{1e9, 2.5e9, 5e9}[int(v["step"])]
		p.NIC(e, c)
		p.limit(c.Speed)
	}}

// duplexHalf makes a link half-duplex, like a port whose peer does not negotiate.
var duplexHalf = Fault{ID: "link-half", Title: "the link came up in half duplex", Cause: "duplex", Scenario: WithNIC,
	Parameters: []Parameter{anyEnd, shareOf(0.3, 0.7), {Name: "collisions", Unit: "1", Low: 0.02, High: 0.2}},
	Make: func(p *Place, v Values) {
		e, c := p.either(v["end"]), goodNIC(float64(p.Planned))
		c.Speed, c.Duplex, c.Collisions = 1e9, "Half", v["collisions"]
		p.NIC(e, c)
		p.limit(v["share"] * c.Speed)
	}}

// oneQueue makes one core do all the receiving, for a NIC with one queue, or with several whose interrupts all go to
// that core.
var oneQueue = Fault{ID: "queue-single", Title: "one core serves all that the receiver's NIC receives",
	Cause: "one-rx-queue", Scenario: WithNIC,
	Parameters: []Parameter{{Name: "queues", Low: 1, High: 8}, {Name: "core", Low: 0, High: 7}, shareOf(0.2, 0.7)},
	Make: func(p *Place, v Values) {
		rate, core := v["share"]*float64(p.Planned), int(v["core"])
		c := goodNIC(float64(p.Planned))
		c.Combined = int(v["queues"])
		p.NIC(p.Receiver, c)
		p.Cores(p.Receiver,
			coresOf{Count: 8, Nodes: 1, Receive: map[int]float64{core: 0.99, (core + 3) % 8: 0.1}, Queues: c.Combined,
				Serve: func(int) int { return core }, Boot: 3e9}, "rb", rate)
		p.limit(rate)
	}}

// numaRemote makes the other NUMA node serve the interrupts of a NIC. One core of it is full.
var numaRemote = Fault{ID: "node-remote", Title: "a NIC whose interrupts another NUMA node serves",
	Cause: "numa-remote", Scenario: WithNIC,
	Parameters: []Parameter{anyEnd, {Name: "core", Low: 0, High: 3}, shareOf(0.3, 0.8)},
	Make: func(p *Place, v Values) {
		rate, core := v["share"]*float64(p.Planned), int(v["core"])
		e, moved := p.either(v["end"]), "tb"
		if e.Host == p.Receiver.Host {
			moved = "rb"
		}
		c := goodNIC(float64(p.Planned))
		c.Combined, c.NUMA = 4, 1
		p.NIC(e, c)
		busy := map[int]float64{0: 0.4, 1: 0.5, 2: 0.3, 3: 0.5}
		busy[core] = 0.99
		p.Cores(e, coresOf{Count: 8, Nodes: 2, Receive: busy, Queues: 4, Serve: func(q int) int { return q }, Boot: 4e8},
			moved, rate)
		p.limit(rate)
	}}

// pauseReceived makes the switch send pause frames to the sender, as for a slow receiver.
var pauseReceived = Fault{
	ID: "pause-received", Title: "pause frames hold the sender back", Cause: "pause", Scenario: WithNIC,
	Parameters: []Parameter{shareOf(0.2, 0.7)},
	Make: func(p *Place, v Values) {
		c := goodNIC(float64(p.Planned))
		c.Counters["rx_pause_ctrl_phy"] = "tb / 15000"
		c.Counters["rx_global_pause_duration"] = "tb / 500"
		p.NIC(p.Sender, c)
		p.holdBack(p.Sender, v["share"])
	},
}

// holdBack slows the interface's own bucket down without the host reporting it: a paused NIC keeps its packets, and
// nothing is lost.
func (p *Place) holdBack(e End, share float64) {
	was := p.root(e.Host, e.Interface)
	rate := p.ask(e.Host,
		fmt.Sprintf("tc -j -d qdisc show dev %s root | sed 's/.*\"rate\":\\([0-9]*\\).*/\\1/'", e.Interface))
	p.run(e.Host, fmt.Sprintf("tc qdisc change dev %s root handle 11: tbf rate %s burst 64kb limit 500kb", e.Interface,
		bits(share*float64(p.Rate))), was)
	filter := fmt.Sprintf(`sed '/"dev":"%s"/s/"rate":[0-9]*/"rate":%s/'`, e.Interface, rate)
	p.tell(e.Host, map[string]string{"tc -j -s -d qdisc": filter}, map[string]string{"tc -j -s -d qdisc": filter})
}

// ringOverrun makes the receiver's NIC lose frames for which its ring has no room.
var ringOverrun = Fault{ID: "ring-overrun", Title: "the receiver's ring has no room for some frames", Cause: "rx-ring",
	Scenario: WithNIC, Parameters: []Parameter{shareOf(0.01, 0.04)},
	Make: func(p *Place, v Values) { p.nicDrops("rx_out_of_buffer", v["share"]) }}

// cableErrors makes the receiver's NIC drop frames with a wrong check sequence.
var cableErrors = Fault{ID: "cable-errors", Title: "frames arrive damaged, and the NIC counts them",
	Cause: "bit-errors", Scenario: WithNIC, Parameters: []Parameter{shareOf(0.01, 0.04)},
	Make: func(p *Place, v Values) { p.nicDrops("rx_crc_errors_phy", v["share"]) }}

// nicDrops drops a share of the receiver's incoming frames with a hidden rule, and makes one of its NIC's counters
// report them. Before that, the impaired link segments super-packets, so that single frames are lost and counted, and
// adds so much delay that losses limit TCP.
func (p *Place) nicDrops(counter string, share float64) {
	e := p.Receiver
	c := goodNIC(float64(p.Planned))
	c.Counters[counter] = `$(nft list table netdev port | sed -n 's/.*counter packets \([0-9]*\).*/\1/p')`
	p.NIC(e, c)
	p.run(e.Host, fmt.Sprintf(
		`printf 'table netdev port {\nchain c {\ntype filter hook ingress device "%s" priority 0;\nmeta length > 300 numgen random mod 100000 < %.0f counter drop\n}\n}\n' | nft -f -`,
		e.Interface, share*1e5), "nft delete table netdev port")
	p.tell(e.Host, map[string]string{"nft list ruleset": "true"}, nil)
	p.Wire("--delay", "4ms")
}
