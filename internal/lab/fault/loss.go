package fault

import "fmt"

// lossRandom loses packets like a bad cable or port.
var lossRandom = Fault{ID: "loss-random", Title: "the link loses packets at random", Cause: "random-loss",
	Scenario: Far, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "loss", Unit: "1", Low: 0.002, High: 0.02, Log: true}, anySeed},
	Make:       func(p *Place, v Values) { p.impair("loss", v) }}

// impair adds an impairment of a share of the packets on the link.
func (p *Place) impair(name string, v Values) {
	p.Wire("--"+name, fmt.Sprintf("%.4g%%", 100*v[name]), "--seed", fmt.Sprintf("%.0f", v["seed"]))
}

// netemLoss leaves a network emulator on the sender's interface that delays packets and loses some of them.
var netemLoss = Fault{ID: "netem-loss", Title: "a network emulator on the sender loses packets", Cause: "random-loss",
	Scenario: Guest, Needs: []string{NeedsGuests},
	Parameters: []Parameter{{Name: "loss", Unit: "1", Low: 0.015, High: 0.04, Log: true},
		{Name: "delay", Unit: "s", Low: 0.02, High: 0.04}},
	Make: func(p *Place, v Values) {
		host, dev := p.Sender.Host, p.Sender.Interface
		was := p.root(host, dev) // without its inner discipline a tbf passes nothing: its limit is set again
		p.run(host, fmt.Sprintf("tc qdisc add dev %s parent 11:1 handle 20: netem delay %.1fms loss %.3f%% limit 2000", dev,
			1000*v["delay"], 100*v["loss"]), fmt.Sprintf("tc qdisc del dev %s parent 11:1; %s", dev, was))
	}}

// bitErrors damages packets, so that they arrive with wrong checksums.
var bitErrors = Fault{ID: "bit-errors", Title: "the link changes bits, so that checksums fail", Cause: "bit-errors",
	Scenario: Far, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "corrupt", Unit: "1", Low: 0.002, High: 0.02, Log: true}, anySeed},
	Make:       func(p *Place, v Values) { p.impair("corrupt", v) }}

// reorder delays some packets by more than a round trip, like one link of a bond with a long queue. Shorter delays
// limit nothing, because the sender adapts to them.
var reorder = Fault{ID: "reorder", Title: "packets overtake each other on the link", Cause: "reordering", Scenario: Far,
	Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "reorder", Unit: "1", Low: 0.01, High: 0.05, Log: true},
		{Name: "late", Unit: "s", Low: 0.035, High: 0.06}, anySeed},
	Make: func(p *Place, v Values) {
		p.impair("reorder", v)
		p.Wire("--reorder-by", fmt.Sprintf("%gms", v["late"]*1000))
	}}

// duplicates duplicates packets, which limits nothing: the verdict must still be that the link is full.
var duplicates = Fault{ID: "duplicates", Title: "some packets arrive twice, which holds nothing back", Cause: "link",
	Scenario: Far, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{{Name: "duplicate", Unit: "1", Low: 0.0005, High: 0.005, Log: true}, anySeed},
	Make:       func(p *Place, v Values) { p.impair("duplicate", v) }}

// firewallDrop leaves a rule in the receiver's firewall that drops a share of its packets.
var firewallDrop = Fault{ID: "firewall-drop", Title: "the receiver's firewall drops a share of the packets (nft)",
	Cause: "firewall-drop", Scenario: Near,
	Parameters: []Parameter{{Name: "loss", Unit: "1", Low: 0.02, High: 0.1, Log: true}},
	Make: func(p *Place, v Values) {
		p.run(p.Receiver.Host, fmt.Sprintf("nft add table inet guard && nft add chain inet guard in '{ type filter hook "+
			"input priority 0; }' && nft add rule inet guard in iifname %s numgen random mod 1000 '<' %.0f counter drop",
			p.Receiver.Interface, 1000*v["loss"]), "nft delete table inet guard")
	}}

// firewallDropUDP needs more losses than TCP, as lossUDP does.
var firewallDropUDP = overUDP(firewallDrop, "the receiver's firewall drops a share of the datagrams (nft)",
	"firewall-drop", []Parameter{{Name: "loss", Unit: "1", Low: 0.08, High: 0.25}}, firewallDrop.Make)
