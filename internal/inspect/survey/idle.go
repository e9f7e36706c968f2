package survey

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
)

// idlePort is a port of a NIC that has a link, and no address that can be measured.
type idlePort struct {
	host *Host
	nic  *facts.Interface
}

// idlePorts returns the ports of all hosts with a link and without an address. Ports of bonds, bridges and VLANs have
// their address above them.
func (d *Draft) idlePorts() (out []idlePort) {
	for _, h := range d.Hosts {
		for i := range h.Facts.NICs {
			nic := &h.Facts.NICs[i]
			if nic.PCI == "" && nic.Kind != "veth" || nic.Master != "" || !nic.Carrier.Or(false) ||
				slices.ContainsFunc(nic.Addresses, measurable) ||
				slices.ContainsFunc(h.Facts.NICs, func(n facts.Interface) bool { return n.Lower == nic.Name }) {
				continue
			}
			out = append(out, idlePort{h, nic})
		}
	}
	return out
}

// Idle describes the ports with a link and without an address, and what to type so that they are measured; empty: fewer
// than two machines have one. What is drafted then may be the LAN, while the cable that the user cares about has no
// address.
func (d *Draft) Idle() (text string, commands []string) {
	ports := d.idlePorts()
	first := map[*Host]*facts.Interface{}
	var each []string
	for _, p := range ports {
		each = append(each, p.nic.Name+" of "+p.host.Name)
		if best := first[p.host]; best == nil || p.nic.Speed.Or(0) > best.Speed.Or(0) {
			first[p.host] = p.nic
		}
	}
	if len(first) < 2 {
		return "", nil
	}
	net := d.unusedRange().Addr()
	for _, h := range d.Hosts {
		nic := first[h]
		if nic == nil {
			continue
		}
		net = net.Next()
		on := &check.Host{Name: h.Name, Facts: h.Facts}
		commands = append(commands, fmt.Sprintf("on %s: %s", h.Name,
			check.AddAddress.On(on, check.Addressed(nic.Name, netip.PrefixFrom(net, 24))...)))
	}
	return strings.Join(each, ", ") + " have a link and no address; to measure them, give both an address", commands
}

// Off describes the interfaces with an address that are switched off, each with what to type: their network is not
// drafted.
func (d *Draft) Off() (out []string) {
	for _, h := range d.Hosts {
		for i := range h.Facts.NICs {
			nic := &h.Facts.NICs[i]
			at := slices.IndexFunc(nic.Addresses, measurable)
			if at < 0 || !nic.UpKnown || nic.Up || nic.PCI == "" && nic.Kind != "veth" {
				continue
			}
			out = append(out, fmt.Sprintf("%s of %s (%s) is switched off, so its network is left out; on %s: %s", nic.Name,
				h.Name, nic.Addresses[at], h.Name, check.InterfaceUp.On(&check.Host{Name: h.Name, Facts: h.Facts}, "nic",
					nic.Name)))
		}
	}
	return out
}

// unusedRange is a network of 254 addresses that no host has an address in.
func (d *Draft) unusedRange() netip.Prefix {
	for third := byte(20); third < 255; third++ {
		p := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, third, 0, 0}), 24)
		if !slices.ContainsFunc(d.Hosts, func(h *Host) bool {
			return slices.ContainsFunc(h.Facts.NICs, func(n facts.Interface) bool {
				return slices.ContainsFunc(n.Addresses, p.Overlaps)
			})
		}) {
			return p
		}
	}
	return netip.MustParsePrefix("10.20.0.0/24")
}

// leaveOutLone removes hosts that share no network with another one: a fabric file has no place for them.
func (d *Draft) leaveOutLone() {
	on := map[*Host]bool{}
	for _, n := range d.Nets {
		for _, e := range n.Ends {
			on[e.Host] = true
		}
	}
	if len(d.Nets) == 0 {
		return
	}
	for _, h := range d.Hosts {
		if !on[h] {
			d.Unknown = append(d.Unknown, h.Name+" shares no network with the others and is left out")
		}
	}
	d.Hosts = xslices.Filter(d.Hosts, func(h *Host) bool { return on[h] })
}
