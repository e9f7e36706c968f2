package judge

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"

	"linerate/internal/facts"
)

// Drop is a counter of lost packets on the path that grew more than without load.
type Drop struct {
	Host    string
	Counter string // as Delta takes it: "receive-drops", "Tcp.InCsumErrors"
	Subject string // the interface; empty: the host
	Source  string // where it can be read: "ip -s link", "/proc/net/softnet_stat"
	Count   float64
	Growth
	// Twice names the counter in the list that has the same packets; empty: there is none.
	Twice string
	// Own marks packets for which the sender's own queue had no room. TCP learns of them at once, and mostly does not
	// count them as sent.
	Own bool
}

// Label describes a drop: "rx_dropped of eth0".
func (d Drop) Label() string {
	if d.Subject == "" {
		return d.Counter
	}
	return d.Counter + " of " + d.Subject
}

// dropCounter is a counter of lost packets at one end.
type dropCounter struct {
	Counter, source string
	own             bool
	// in names the counter that has these packets, too.
	in string
}

// atSender and atReceiver are the counters of losses at the sender and at the receiver. Those of an interface are of
// the planned one.
var (
	AtSender = []dropCounter{
		{Counter: "qdisc.drops", source: "tc -s qdisc", own: true},
		{Counter: string(facts.SendDrops), source: "ip -s link"},
		{Counter: string(facts.QueueDrops), source: "the driver's counters"},
	}
	AtReceiver = []dropCounter{
		{Counter: string(facts.BadFrames), source: "the driver's counters"},
		{Counter: string(facts.NoBuffer), source: "the driver's counters"},
		{Counter: string(facts.ReceiveDrops), source: "ip -s link"},
		// enqueue_to_backlog counts both
		{Counter: "softnet.dropped", source: "/proc/net/softnet_stat", in: string(facts.ReceiveDrops)},
		{Counter: "qdisc.ingress", source: "tc -s qdisc"},
		{Counter: "firewall.drops", source: "nft list ruleset"},
		{Counter: "Ip.InDiscards", source: "/proc/net/snmp"},
		{Counter: "Tcp.InCsumErrors", source: "/proc/net/snmp"},
		{Counter: "TcpExt.TCPBacklogDrop", source: "/proc/net/netstat"},
		{Counter: "TcpExt.TCPRcvQDrop", source: "/proc/net/netstat"},
		{Counter: "TcpExt.PFMemallocDrop", source: "/proc/net/netstat"},
	}
)

// needed are the counters without which an end's losses are not known. Only some systems and drivers have the others.
var needed = []string{string(facts.ReceiveDrops), string(facts.SendDrops)}

// Dropped lists the counters on the path of the data, from sender to receiver, that grew more than without load, and
// those that are not known.
func (c *Case) Dropped() (list []Drop, unknown []string) {
	list, unknown = c.DroppedAt(c.Sender, AtSender)
	at, more := c.DroppedAt(c.Receiver, AtReceiver)
	list, unknown = append(list, at...), append(unknown, more...)
	if n := c.SilentRules(); n > 0 {
		unknown = append(unknown, fmt.Sprintf("%s: %s of its firewall that %s packets and %s no counter", c.Receiver.Host,
			unit.Counted(n, "rule"), unit.If(n == 1, "drops", "drop"), unit.If(n == 1, "has", "have")))
	}
	for _, s := range c.Switches {
		at, more := s.dropped()
		list, unknown = append(list, at...), append(unknown, more...)
	}
	// Packets that a veth could not pass to its peer are counted at both.
	from, nic := c.Sender.Host, c.Sender.NIC()
	for _, s := range c.Switches {
		handedOver(list, from, nic, s.Name)
		from, nic = s.Name, s.Shots.Nic(s.Out)
	}
	handedOver(list, from, nic, c.Receiver.Host)
	return list, unknown
}

// SilentRules returns the number of rules of the receiver's firewall that drop without counting.
func (c *Case) SilentRules() int {
	if c.Receiver.Shots.After == nil {
		return 0
	}
	_, silent := c.Receiver.Shots.After.Firewall.Or(facts.Firewall{}).Dropped()
	return silent
}

// handedOver marks the packets at one end of a veth that the other end counted, too.
func handedOver(list []Drop, from string, nic *facts.Interface, to string) {
	if nic == nil || nic.Kind != "veth" || !has(list, to, string(facts.ReceiveDrops)) {
		return
	}
	for i := range list {
		if d := &list[i]; d.Host == from && d.Counter == string(facts.SendDrops) {
			d.Twice = string(facts.ReceiveDrops) + " on " + to
		}
	}
}

func has(list []Drop, host, counter string) bool {
	return slices.ContainsFunc(list, func(d Drop) bool { return d.Host == host && d.Counter == counter })
}

// DroppedAt lists the counters of one end that grew, as Dropped does.
func (c *Case) DroppedAt(side Side, counters []dropCounter) (list []Drop, unknown []string) {
	if side.Shots.Before == nil || side.Shots.After == nil || side.Port == nil {
		return nil, []string{side.Host + ": its counters around the measurement were not read"}
	}
	return side.droppedOn(side.Port.Interface, counters)
}

func (side Side) droppedOn(nic string, counters []dropCounter) (list []Drop, unknown []string) {
	var whys []string
	of := map[string][]string{} // counters by the reason why they are not known
	for _, k := range counters {
		g, why := side.Shots.GrowthOf(nic, k.Counter, side.Shots.Before, side.Shots.After)
		if why != "" {
			if slices.Contains(needed, k.Counter) || why != notThere {
				if of[why] == nil {
					whys = append(whys, why)
				}
				of[why] = append(of[why], counterSubject(nic, k.Counter))
			}
			continue
		}
		if g.Net < 0.5 {
			continue
		}
		d := Drop{Host: side.Host, Counter: k.Counter, Subject: nic, Source: k.source, Count: g.Net, Growth: g, Own: k.own}
		if ofHost(k.Counter) {
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
