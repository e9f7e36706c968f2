package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/traffic"
)

// onlyICMP says whether nothing but the from end needs an agent.
func (f measureFlags) onlyICMP() bool {
	return len(f.transports) > 0 && !slices.ContainsFunc(f.transports, func(t string) bool { return strings.TrimSpace(t) != traffic.ICMP }) &&
		!slices.Contains(f.given, "against")
}

// lone says whether the other end is an address and nothing more.
func (f measureFlags) lone() bool { return f.onlyICMP() && f.toAddress != "" }

// resolve is the address of a host that only answers echoes: its own text, or what its name stands for, IPv4 first.
func resolve(ctx context.Context, host string) (string, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.String(), nil
	}
	all, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(all) == 0 {
		return "", fmt.Errorf("%s is no address, and no name that has one (%v); write its address, or --to \"ssh %s\" to ask the host itself", host, err, host)
	}
	for _, a := range all {
		if a.Unmap().Is4() {
			return a.Unmap().String(), nil
		}
	}
	return all[0].String(), nil
}

// loneEnd is the ports of a path to an address that may be anything: from's in the same subnet, else whichever the
// routes choose, whose speed is then not known.
func loneEnd(from *facts.Facts, address string) (a, b *plan.Port, err error) {
	wanted, err := netip.ParseAddr(address)
	if err != nil {
		return nil, nil, fmt.Errorf("--to-address %s: not an IP address; write one such as 10.9.0.2", address)
	}
	for i := range from.NICs {
		for _, x := range from.NICs[i].Addresses {
			if x.Contains(wanted.WithZone("")) && !x.Addr().IsLinkLocalUnicast() {
				a := port(&from.NICs[i], x)
				return a, &plan.Port{Interface: "far", Declared: true, Index: 1, MTU: a.MTU, Address: netip.PrefixFrom(wanted, x.Bits()), Speed: a.Speed}, nil
			}
		}
	}
	any := netip.IPv4Unspecified()
	if wanted.Is6() {
		any = netip.IPv6Unspecified()
	}
	return &plan.Port{Interface: "routed", Declared: true, Index: 1, Address: netip.PrefixFrom(any, 0), Speed: unit.BitRate(0)},
		&plan.Port{Interface: "far", Declared: true, Index: 1, Address: netip.PrefixFrom(wanted, 0)}, nil
}
