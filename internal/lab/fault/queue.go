package fault

import (
	"fmt"
	"regexp"
)

// bufferDeep is a port towards the receiver that is slower than planned, with a buffer of many milliseconds.
var bufferDeep = Fault{ID: "buffer-deep",
	Title: "the switch's port towards the receiver is slower, with a buffer of many milliseconds", Cause: "deep-buffer",
	Scenario: Near, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{shareOf(0.25, 0.8), {Name: "delay", Unit: "s", Low: 0.05, High: 0.25, Log: true}},
	Make:       func(p *Place, v Values) { p.port(v["share"], v["delay"]*v["share"]*float64(p.Rate)/8) }}

// bufferShallow is a port towards the receiver that is slower than planned, with a buffer of a few packets.
var bufferShallow = Fault{ID: "buffer-shallow",
	Title: "the switch's port towards the receiver is slower, with a buffer of a few packets", Cause: "shallow-buffer",
	Scenario: Near, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{shareOf(0.3, 0.7), {Name: "buffer", Unit: "B", Low: 8e3, High: 30e3, Log: true}},
	Make:       func(p *Place, v Values) { p.port(v["share"], v["buffer"]) }}

// port limits the switch's port towards the receiver to a share of its rate, with a buffer in bytes. Super-packets,
// which are larger than the bucket, are segmented before the buffer, as on a wire.
func (p *Place) port(share, buffer float64) {
	dev := p.Receiver.Port
	was := p.root(p.Switch, dev)
	p.run(p.Switch, fmt.Sprintf("tc qdisc replace dev %s root handle 21: tbf rate %s burst 10kb limit %.0f", dev,
		bits(share*float64(p.Rate)), buffer), was)
}

// linkDeep is a slower link behind the switch with a buffer of many milliseconds, which cannot be queried.
var linkDeep = Fault{ID: "link-deep", Title: "a slower link behind the switch, with a buffer of many milliseconds",
	Cause: "deep-buffer", Scenario: Near, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{shareOf(0.25, 0.8), {Name: "wait", Unit: "s", Low: 0.05, High: 0.4, Log: true}},
	Make: func(p *Place, v Values) {
		rate := v["share"] * float64(p.Rate)
		p.Wire("--rate", bitsOf(rate), "--queue", fmt.Sprintf("%.0fB", v["wait"]*rate/8))
	}}

// linkShallow is a slower link behind the switch with a buffer of a few packets, which cannot be queried.
var linkShallow = Fault{ID: "link-shallow", Title: "a slower link behind the switch, with a buffer of a few packets",
	Cause: "shallow-buffer", Scenario: Near, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{shareOf(0.3, 0.7), {Name: "buffer", Unit: "B", Low: 15e3, High: 40e3, Log: true}},
	Make: func(p *Place, v Values) {
		p.Wire("--rate", bitsOf(v["share"]*float64(p.Rate)), "--queue", fmt.Sprintf("%.0fB", v["buffer"]))
	}}

// ceQueue makes hosts use ECN, and a port mark packets from a queue of a few packets on, a fraction of those in a round
// trip.
var ceQueue = Fault{ID: "ce-queue",
	Title: "both ends use ECN, and the link marks what finds a few packets in its queue", Cause: "ce-marks", Scenario: Far,
	Needs:      []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "threshold", Unit: "B", Low: 3e3, High: 9e3}, shareOf(0.9, 0.97)},
	Make: func(p *Place, v Values) {
		p.ecn()
		p.Wire("--rate", bitsOf(v["share"]*float64(p.Rate)), "--queue", "2MB", "--ce-above",
			fmt.Sprintf("%.0fB", v["threshold"]))
	}}

// bitsOf formats a rate for linerate.
func bitsOf(v float64) string { return fmt.Sprintf("%.3fM", v/1e6) }

// ceMarks makes hosts use ECN, and a link mark packets without a queue.
var ceMarks = Fault{ID: "ce-random", Title: "both ends use ECN, and the link marks packets without a queue",
	Cause: "ce-marks", Scenario: Far, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "ce", Unit: "1", Low: 0.002, High: 0.02, Log: true}, anySeed},
	Make: func(p *Place, v Values) {
		p.ecn()
		p.impair("ce", v)
	}}

// ecn makes both ends negotiate ECN.
func (p *Place) ecn() {
	for _, host := range []string{p.Sender.Host, p.Receiver.Host} {
		p.sysctl(host, "net.ipv4.tcp_ecn", "1")
	}
}

var queueLimit = regexp.MustCompile(` (latency|limit) \S+`)

// txQueue leaves the sender's own queue room for a few packets.
var txQueue = Fault{ID: "tx-queue", Title: "a queue of a few packets before the sender's interface", Cause: "tx-queue",
	Scenario: Far, Parameters: []Parameter{{Name: "packets", Low: 2, High: 6}},
	Make: func(p *Place, v Values) {
		dev := p.Sender.Interface
		was := p.root(p.Sender.Host, dev)
		p.run(p.Sender.Host,
			queueLimit.ReplaceAllString(was, "")+fmt.Sprintf(" limit %.0f", v["packets"]*float64(p.MTU+14)), was)
	}}

// backlogShort limits the backlog queue of the receiver's core to a packet or two.
var backlogShort = Fault{ID: "backlog-short", Title: "a queue of a packet or two before the receiver's CPU",
	Cause: "backlog-drop", Scenario: Guest, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "held", Low: 1, High: 2}},
	Make: func(p *Place, v Values) {
		p.steer(p.Receiver)
		// With receive offload, a burst is one packet, which finds room.
		p.run(p.Receiver.Host, "ethtool -K "+p.Receiver.Interface+" gro off", "ethtool -K "+p.Receiver.Interface+" gro on")
		// The kernel accepts one more than that.
		p.sysctl(p.Receiver.Host, "net.core.netdev_max_backlog", fmt.Sprintf("%.0f", v["held"]-1))
	}}

// steer makes the kernel pass received packets to a core (RPS). Without it a NIC's packets do not use the backlog
// queues.
func (p *Place) steer(e End) {
	file := fmt.Sprintf("/sys/class/net/%s/queues/rx-0/rps_cpus", e.Interface)
	was := p.ask(e.Host, "cat "+file)
	p.run(e.Host, "echo 1 > "+file, fmt.Sprintf("echo %s > %s", was, file))
}
