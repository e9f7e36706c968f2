//go:build !linux

package collect

import (
	"context"
	"encoding/json"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/parse/probe"
	"linerate/internal/facts/snapshot"
)

// collect adds the host's name and system, and what package net knows of its interfaces, in the form of the Linux
// sources. rest is the system's own.
func (c *collector) collect() {
	c.rest()
	if slices.ContainsFunc(c.files, func(f snapshot.File) bool { return strings.HasPrefix(f.Name, "ifconfig") }) {
		return // it has more
	}
	all, err := net.Interfaces()
	if err != nil {
		c.unknown("interfaces", err)
		return
	}
	var links []iproute.Link
	var addresses []iproute.Addresses
	for _, n := range all {
		l := iproute.Link{Index: n.Index, Name: n.Name, MTU: n.MTU, Address: n.HardwareAddr.String(), LinkType: "ether",
			State: "DOWN"}
		l.Flags = strings.Split(strings.ToUpper(n.Flags.String()), "|")
		if n.Flags&net.FlagRunning != 0 {
			l.Flags, l.State = append(l.Flags, "LOWER_UP"), "UP"
		}
		if n.Flags&net.FlagLoopback != 0 {
			l.LinkType = "loopback"
		}
		links = append(links, l)
		a := iproute.Addresses{Name: n.Name}
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
			a.Addresses = append(a.Addresses, iproute.Address{Family: family, Local: p.Addr().String(), Prefix: p.Bits()})
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
		c.files = append(c.files, snapshot.File{Name: source.name, Data: append(text, '\n')})
	}
}

// threadTime is not known on this system.
func threadTime() (time.Duration, bool) { return 0, false }

// Probe tests what no file has. It only exists for Linux.
func Probe(_ context.Context, targets []probe.ProbeTarget) []byte {
	return probe.NotProbed(targets, "linerate probes from hosts with Linux alone")
}
