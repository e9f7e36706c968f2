package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// arpFlux: the sender uses the planned interface, but what it sends arrives on another one of the receiver: that host answers on each of its
// interfaces for the addresses of all (net.ipv4.conf.*.arp_ignore=0), and two of them are on one switch.
var arpFlux = Cause{
	ID: "arp-flux", Title: "another interface of the receiver answers for its address",
	Test: func(c *Case) *Match {
		s := c.Sender
		if c.Repeat == nil || s.Port == nil || s.Shots.Before == nil || s.Shots.After == nil || s.Shots.After.OS != "linux" {
			return nil
		}
		sent, ok := delta(s.Shots.Before, s.Shots.After, s.Port.Interface, "tx_bytes")
		if moved := c.windowBytes(); !ok || moved <= 0 || sent < 0.9*moved {
			return nil
		}
		m := c.bytesElsewhere(c.Receiver, "rx_bytes")
		if m == nil || m.Strength < Likely {
			return nil
		}
		host, planned := c.Receiver.Host, c.Receiver.Port.Interface
		ignore := 0
		for _, dev := range []string{"all", m.Other} {
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
		m.Component = host + ": " + m.Other
		m.Sentence = fmt.Sprintf("%s arrives on the wrong interface: %s answers on %s for %s, the address of %s, and the sender believes it.", c.subject(), host, m.Other, address, planned)
		m.Evidence = append(m.Evidence,
			record.Evidence{Host: s.Host, Source: "/sys/class/net/" + s.Port.Interface + "/statistics/tx_bytes", Counter: "tx_bytes", After: ptr(sent), Unit: "bytes",
				Text: fmt.Sprintf("%s left %s on the planned interface %s", unit.Bytes(sent), s.Host, s.Port.Interface)},
			record.Evidence{Host: host, Source: "sysctl net.ipv4.conf.all.arp_ignore", Counter: "arp_ignore", After: ptr(0), Unit: "setting",
				Text: fmt.Sprintf("arp_ignore is 0 for %s: it answers for every address of the host", m.Other)})
		m.Fix = fmt.Sprintf("on %s: sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2\non %s: ip neigh flush dev %s\nbetter, and for good: no more than one interface of %s in a network", host, s.Host, s.Port.Interface, host)
		m.Undo = "sysctl -w net.ipv4.conf.all.arp_ignore=0 net.ipv4.conf.all.arp_announce=0"
		m.Strength = Likely
		return m
	},
}
