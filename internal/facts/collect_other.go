//go:build !linux

package facts

import (
	"encoding/json"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// collect has the host's name and system, and of its interfaces what package net tells, in the form of the Linux
// sources; the rest is the system's own.
func (c *collector) collect() {
	c.rest()
	if slices.ContainsFunc(c.files, func(f file) bool { return strings.HasPrefix(f.Name, "ifconfig") }) {
		return // which says more
	}
	all, err := net.Interfaces()
	if err != nil {
		c.unknown("interfaces", err)
		return
	}
	var links []ipLink
	var addresses []ipAddresses
	for _, n := range all {
		l := ipLink{Index: n.Index, Name: n.Name, MTU: n.MTU, Address: n.HardwareAddr.String(), LinkType: "ether", State: "DOWN"}
		l.Flags = strings.Split(strings.ToUpper(n.Flags.String()), "|")
		if n.Flags&net.FlagRunning != 0 {
			l.Flags, l.State = append(l.Flags, "LOWER_UP"), "UP"
		}
		if n.Flags&net.FlagLoopback != 0 {
			l.LinkType = "loopback"
		}
		links = append(links, l)
		a := ipAddresses{Name: n.Name}
		own, err := n.Addrs()
		if err != nil {
			c.unknown("addresses of "+n.Name, err)
		}
		for _, x := range own {
			p, err := netip.ParsePrefix(x.String())
			if err != nil {
				continue
			}
			family := "inet"
			if p.Addr().Is6() {
				family = "inet6"
			}
			a.Addresses = append(a.Addresses, ipAddress{Family: family, Local: p.Addr().String(), Prefix: p.Bits()})
		}
		addresses = append(addresses, a)
	}
	for _, source := range []struct {
		name string
		data any
	}{{"ip -j -d -s -s link", links}, {"ip -j address", addresses}} {
		text, err := json.Marshal(source.data)
		if err != nil {
			c.unknown(source.name, err)
			continue
		}
		c.files = append(c.files, file{Name: source.name, Data: append(text, '\n')})
	}
}
