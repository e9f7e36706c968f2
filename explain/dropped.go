package explain

import (
	"fmt"
	"slices"
	"strings"

	"linerate/facts"
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
	// What a veth could not hand to its other end is counted at both.
	if n := c.Sender.NIC(); n != nil && n.Kind == "veth" {
		for i := range list {
			d := &list[i]
			if d.Host == c.Sender.Host && d.Counter == string(facts.SendDrops) && has(list, c.Receiver.Host, string(facts.ReceiveDrops)) {
				d.Twice = string(facts.ReceiveDrops) + " at the other end"
			}
		}
	}
	return list, unknown
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
	var whys []string
	of := map[string][]string{} // counters by why they are not known: what befell an interface befell all of them
	for _, k := range counters {
		g, why := side.Shots.growthOf(side.Port.Interface, k.counter, side.Shots.Before, side.Shots.After)
		if why != "" {
			if slices.Contains(needed, k.counter) || why != notThere {
				if of[why] == nil {
					whys = append(whys, why)
				}
				of[why] = append(of[why], counterSubject(side.Port.Interface, k.counter))
			}
			continue
		}
		if g.Net < 0.5 {
			continue
		}
		d := drop{Host: side.Host, Counter: k.counter, Subject: side.Port.Interface, Source: k.source, Count: g.Net, growth: g, Own: k.own}
		if isProtocol(k.counter) || strings.HasPrefix(k.counter, "softnet.") {
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
