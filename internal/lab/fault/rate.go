package fault

import "fmt"

// shaperTBF leaves a token bucket on the sender's interface that is slower than the link.
var shaperTBF = Fault{ID: "shaper-tbf", Title: "a token bucket (tbf) left on the sender's interface",
	Cause: "local-shaper", Scenario: Near, Parameters: []Parameter{shareOf(0.2, 0.8)},
	Make: func(p *Place, v Values) {
		dev := p.Sender.Interface
		was := p.root(p.Sender.Host, dev)
		p.run(p.Sender.Host, fmt.Sprintf("tc qdisc replace dev %s root tbf rate %s burst 64kb limit 500kb", dev,
			bits(v["share"]*float64(p.Rate))), was)
	}}

// root returns the command that restores the present token bucket of an interface. tc's output is rounded, so the lab's
// own is restored as the lab made it. Otherwise it would be a little smaller after each fault.
func (p *Place) root(host, dev string) string {
	if own := p.Buckets[host+" "+dev]; own != "" &&
		p.ask(host, fmt.Sprintf("tc qdisc show dev %s root | grep -c '^qdisc tbf 11:' || true", dev)) == "1" {
		return fmt.Sprintf("tc qdisc replace dev %s root handle 11: %s", dev, own)
	}
	// "qdisc tbf 11: root refcnt 3 rate 189Mbit burst 128Kb lat 21.6ms"; with -d the burst has one more size after it,
	// which tc does not accept.
	words := p.ask(host,
		fmt.Sprintf("tc qdisc show dev %s root | head -1 | sed 's/.* refcnt [0-9]* //; s/lat /latency /'", dev))
	return fmt.Sprintf("tc qdisc replace dev %s root handle 11: tbf %s", dev, words)
}

// shaperHTB leaves a class with a ceiling on the sender's interface.
var shaperHTB = Fault{ID: "shaper-htb", Title: "a class (htb) with a ceiling left on the sender's interface",
	Cause: "local-shaper", Scenario: Near, Parameters: []Parameter{shareOf(0.2, 0.8)},
	Make: func(p *Place, v Values) {
		dev, rate := p.Sender.Interface, bits(v["share"]*float64(p.Rate))
		was := p.root(p.Sender.Host, dev)
		p.run(p.Sender.Host, fmt.Sprintf(
			"tc qdisc replace dev %[1]s root handle 1: htb default 10 && tc class add dev %[1]s parent 1: classid 1:10 htb "+
				"rate %[2]s ceil %[2]s burst 64kb cburst 64kb", dev, rate), was)
	}}

// policerSwitch drops traffic above a rate on its path to the receiver, where neither host sees it. See policerHost
// about the rate.
var policerSwitch = Fault{ID: "policer-switch",
	Title: "the switch drops what is above a rate on its port towards the receiver (nft, bridge family)", Cause: "policer",
	Scenario: Near, Needs: []string{NeedsSwitch}, Parameters: []Parameter{shareOf(0.1, 0.25)},
	Make: func(p *Place, v Values) {
		rate := v["share"] * float64(p.Rate) / 8
		p.run(p.Switch, fmt.Sprintf(
			"nft add table bridge ports && nft add chain bridge ports leaving '{ type filter hook forward priority 0; }' "+
				"&& nft add rule bridge ports leaving oifname %s limit rate over %.0f bytes/second burst %.0f bytes drop",
			p.Receiver.Port, rate, 8e4), "nft delete table bridge ports")
	}}

// policerLink is a policer like a provider's: a bucket of some milliseconds, and no queue.
var policerLink = Fault{ID: "policer-link", Title: "the link drops what is above a rate", Cause: "policer",
	Scenario: Near, Needs: []string{NeedsSwitch},
	Parameters: []Parameter{shareOf(0.2, 0.7), {Name: "burst", Unit: "s", Low: 0.002, High: 0.01}},
	Make: func(p *Place, v Values) {
		rate := v["share"] * float64(p.Rate)
		p.Wire("--police", bitsOf(rate), "--police-burst", fmt.Sprintf("%.0fB", rate/8*v["burst"]))
	}}

// policerHost leaves a rule in the receiver's own firewall that drops traffic above a rate. The kernel's bucket holds a
// second of the rate plus the burst (nft_limit.c), so that only a small rate limits a short measurement.
var policerHost = Fault{ID: "policer-host", Title: "the receiver's firewall drops what is above a rate (nft)",
	Cause: "policer", Scenario: Near, Parameters: []Parameter{shareOf(0.1, 0.25)},
	Make: func(p *Place, v Values) { p.policed("tcp", v["share"]) }}

// policed makes the receiver's firewall drop a protocol's traffic above a share of the link's rate.
func (p *Place) policed(protocol string, share float64) {
	p.run(p.Receiver.Host, fmt.Sprintf(
		"nft add table inet guard && nft add chain inet guard in '{ type filter hook input priority 0; }' && nft add "+
			"rule inet guard in iifname %s meta l4proto %s limit rate over %.0f bytes/second burst %.0f bytes counter "+
			"drop", p.Receiver.Interface, protocol, share*float64(p.Rate)/8, 8e4), "nft delete table inet guard")
}
