package address

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/device/families"
	"linerate/internal/explain/judge"
)

// ARPFlux is the cause where the sender uses the planned interface, but its data arrives on another interface of the
// receiver: that host answers ARP on each interface for the addresses of all of them (net.ipv4.conf.*.arp_ignore=0),
// and two of them are on one switch.
var ARPFlux = judge.Cause{
	ID: "arp-flux", Title: "another interface of the receiver answers for its address",
	Plain: "The receiving machine answers on the wrong one of its network connections, so that the data arrive over " +
		"that one.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		s := c.Sender
		if c.Repeat == nil || s.Port == nil || s.Shots.Before == nil || s.Shots.After == nil ||
			!families.Traits(s.Shots.After.OS).Proc {
			return nil
		}
		sent, ok := judge.Delta(s.Shots.Before, s.Shots.After, s.Port.Interface, "tx_bytes")
		if moved := c.IntervalBytes(); !ok || moved <= 0 || sent < 0.9*moved {
			return nil
		}
		m := bytesElsewhere(c, c.Receiver, "rx_bytes")
		if m == nil || m.Strength < judge.Likely {
			return nil
		}
		host, planned := c.Receiver.Host, c.Receiver.Port.Interface
		ignore := 0
		for _, dev := range []string{"all", m.Interface} {
			value, known := c.Receiver.Shots.After.Sysctl("net.ipv4.conf." + dev + ".arp_ignore")
			if !known {
				return nil
			}
			if value != "0" {
				ignore++
			}
		}
		if ignore > 0 {
			return nil
		}
		address := c.Receiver.Port.Address.Addr()
		m.Component = host + ": " + m.Interface
		m.Sentence = fmt.Sprintf("%s arrives on the wrong interface: %s answers on %s for %s, the address of %s, and the "+
			"sender believes it.", c.Subject(), host, m.Interface, address, planned)
		m.Add(judge.Reading(s.Host, "/sys/class/net/"+s.Port.Interface+"/statistics/tx_bytes", "tx_bytes", sent, "bytes",
			"%s left %s on the planned interface %s", unit.Bytes(sent), s.Host, s.Port.Interface), judge.Reading(host,
			"sysctl net.ipv4.conf.all.arp_ignore", "arp_ignore", 0.0, "setting", "arp_ignore is 0 for %s: it answers for "+
				"every address of the host", m.Interface))
		m.Fix = fmt.Sprintf("on %s: sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2\non %s: ip "+
			"neigh flush dev %s\nbetter, and for good: no more than one interface of %s in a network", host, s.Host,
			s.Port.Interface, host)
		m.Undo = "sysctl -w net.ipv4.conf.all.arp_ignore=0 net.ipv4.conf.all.arp_announce=0"
		m.Strength = judge.Likely
		return m
	},
}
