package explain

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/facts"
)

// drop is a counter of lost packets on the path that grew, beyond what it does without load.
type drop struct {
	Host    string
	Counter string // as delta takes it: "receive-drops", "Tcp.InCsumErrors"
	Subject string // the interface; empty: the host
	Source  string // where it can be read: "ip -s link", "/proc/net/softnet_stat"
	Count   float64
	growth
	// Twice names the counter in the list that has the same packets; empty: they are only here.
	Twice string
	// Own are packets that the sender's own queue had no room for: TCP is told at once, and mostly does not count them as sent.
	Own bool
}

// what names a drop in words: "rx_dropped of eth0".
func (d drop) what() string {
	if d.Subject == "" {
		return d.Counter
	}
	return d.Counter + " of " + d.Subject
}

// dropCounter is a counter at one end of data on its way.
type dropCounter struct {
	counter, source string
	own             bool
	// in names the counter that has these packets, too.
	in string
}

// atSender and atReceiver are where data is lost on its way out and in. The planned interface is meant where one is.
var (
	atSender = []dropCounter{
		{counter: "qdisc.drops", source: "tc -s qdisc", own: true},
		{counter: string(facts.SendDrops), source: "ip -s link"},
		{counter: string(facts.QueueDrops), source: "the driver's counters"},
	}
	atReceiver = []dropCounter{
		{counter: string(facts.BadFrames), source: "the driver's counters"},
		{counter: string(facts.NoBuffer), source: "the driver's counters"},
		{counter: string(facts.ReceiveDrops), source: "ip -s link"},
		{counter: "softnet.dropped", source: "/proc/net/softnet_stat", in: string(facts.ReceiveDrops)}, // enqueue_to_backlog counts both
		{counter: "qdisc.ingress", source: "tc -s qdisc"},
		{counter: "firewall.drops", source: "nft list ruleset"},
		{counter: "Ip.InDiscards", source: "/proc/net/snmp"},
		{counter: "Tcp.InCsumErrors", source: "/proc/net/snmp"},
		{counter: "TcpExt.TCPBacklogDrop", source: "/proc/net/netstat"},
		{counter: "TcpExt.TCPRcvQDrop", source: "/proc/net/netstat"},
		{counter: "TcpExt.PFMemallocDrop", source: "/proc/net/netstat"},
	}
)

// needed are the counters without which nothing is known of an end's losses; the others are of some systems and drivers only.
var needed = []string{string(facts.ReceiveDrops), string(facts.SendDrops)}

// dropped lists the counters on the path of the data, from sender to receiver, that grew beyond what they do without load, and what of
// it is not known.
func (c *Case) dropped() (list []drop, unknown []string) {
	list, unknown = c.droppedAt(c.Sender, atSender)
	at, more := c.droppedAt(c.Receiver, atReceiver)
	list, unknown = append(list, at...), append(unknown, more...)
	if n := c.silentRules(); n > 0 {
		unknown = append(unknown, fmt.Sprintf("%s: %s of its firewall that %s packets and %s no counter", c.Receiver.Host, plural(n, "rule"), map[bool]string{true: "drops", false: "drop"}[n == 1], map[bool]string{true: "has", false: "have"}[n == 1]))
	}
	for _, s := range c.Switches {
		at, more := s.dropped()
		list, unknown = append(list, at...), append(unknown, more...)
	}
	// What a veth could not hand to its other end is counted at both.
	from, nic := c.Sender.Host, c.Sender.NIC()
	for _, s := range c.Switches {
		handedOver(list, from, nic, s.Name)
		from, nic = s.Name, s.Shots.nic(s.Out)
	}
	handedOver(list, from, nic, c.Receiver.Host)
	return list, unknown
}

// silentRules is how many rules of the receiver's firewall drop and do not count.
func (c *Case) silentRules() int {
	if c.Receiver.Shots.After == nil {
		return 0
	}
	_, silent := c.Receiver.Shots.After.Firewall.Or(facts.Firewall{}).Dropped()
	return silent
}

// handedOver marks what one end of a veth counted of the packets that the other end counted, too.
func handedOver(list []drop, from string, nic *facts.Interface, to string) {
	if nic == nil || nic.Kind != "veth" || !has(list, to, string(facts.ReceiveDrops)) {
		return
	}
	for i := range list {
		if d := &list[i]; d.Host == from && d.Counter == string(facts.SendDrops) {
			d.Twice = string(facts.ReceiveDrops) + " on " + to
		}
	}
}

func has(list []drop, host, counter string) bool {
	for _, d := range list {
		if d.Host == host && d.Counter == counter {
			return true
		}
	}
	return false
}

func (c *Case) droppedAt(side Side, counters []dropCounter) (list []drop, unknown []string) {
	if side.Shots.Before == nil || side.Shots.After == nil || side.Port == nil {
		return nil, []string{side.Host + ": its counters around the measurement were not read"}
	}
	return side.droppedOn(side.Port.Interface, counters)
}

func (side Side) droppedOn(nic string, counters []dropCounter) (list []drop, unknown []string) {
	var whys []string
	of := map[string][]string{} // counters by why they are not known: what befell an interface befell all of them
	for _, k := range counters {
		g, why := side.Shots.growthOf(nic, k.counter, side.Shots.Before, side.Shots.After)
		if why != "" {
			if slices.Contains(needed, k.counter) || why != notThere {
				if of[why] == nil {
					whys = append(whys, why)
				}
				of[why] = append(of[why], counterSubject(nic, k.counter))
			}
			continue
		}
		if g.Net < 0.5 {
			continue
		}
		d := drop{Host: side.Host, Counter: k.counter, Subject: nic, Source: k.source, Count: g.Net, growth: g, Own: k.own}
		if ofHost(k.counter) {
			d.Subject = ""
		}
		if k.in != "" && has(list, side.Host, k.in) {
			d.Twice = k.in
		}
		list = append(list, d)
	}
	for _, why := range whys {
		unknown = append(unknown, fmt.Sprintf("%s: %s: %s", side.Host, strings.Join(of[why], ", "), why))
	}
	return list, unknown
}
