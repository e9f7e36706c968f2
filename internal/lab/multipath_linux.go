package lab

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"linerate/internal/design/plan"
)

// The kernel's names for the endpoints of MPTCP (linux/mptcp_pm.h).
const (
	mptcpFamily  = "mptcp_pm"
	mptcpVersion = 1

	mptcpAddAddress = 1 // commands
	mptcpSetLimits  = 5

	mptcpAttrAddress  = 1 // attributes of a command
	mptcpAttrAccepted = 2
	mptcpAttrSubflows = 3

	mptcpAddressFamily    = 1 // attributes of an address
	mptcpAddressIPv4      = 3
	mptcpAddressIPv6      = 4
	mptcpAddressFlags     = 6
	mptcpAddressInterface = 7

	mptcpSignal = 1 // flag of an address: the other host is informed of it

	// maxSubflows is the largest number that the kernel accepts.
	maxSubflows = 8
)

// multipath lets a connection over MPTCP use all ports of the host: each address is announced to the other host, which
// connects to it over the link that its routes name. It runs on the host's thread. A kernel without MPTCP does not have
// the netlink family. Then nothing is done, and a measurement over MPTCP reports that it fell back to TCP.
func (h *host) multipath(list []plan.Setting) error {
	family, err := netlink.GenlFamilyGet(mptcpFamily)
	if err != nil {
		return nil
	}
	limits := mptcpRequest(family.ID, mptcpSetLimits)
	limits.AddData(nl.NewRtAttr(mptcpAttrAccepted, nl.Uint32Attr(maxSubflows)))
	limits.AddData(nl.NewRtAttr(mptcpAttrSubflows, nl.Uint32Attr(maxSubflows)))
	if _, err := limits.Execute(unix.NETLINK_GENERIC, 0); err != nil {
		return fmt.Errorf("MPTCP: limits: %w", err)
	}
	for _, s := range list {
		if s.Kind != plan.SetAddress {
			continue
		}
		link, err := h.nl.LinkByName(s.Interface)
		if err != nil {
			return err
		}
		q := mptcpRequest(family.ID, mptcpAddAddress)
		q.AddData(mptcpEndpoint(s.Prefix.Addr(), link.Attrs().Index))
		if _, err := q.Execute(unix.NETLINK_GENERIC, 0); err != nil {
			return fmt.Errorf("MPTCP: endpoint %s on %s: %w", s.Prefix.Addr(), s.Interface, err)
		}
	}
	return nil
}

func mptcpRequest(family uint16, command uint8) *nl.NetlinkRequest {
	q := nl.NewNetlinkRequest(int(family), unix.NLM_F_ACK)
	q.AddData(&nl.Genlmsg{Command: command, Version: mptcpVersion})
	return q
}

// mptcpEndpoint is an address that the other host is informed of.
func mptcpEndpoint(address netip.Addr, index int) *nl.RtAttr {
	family, kind := uint16(unix.AF_INET), mptcpAddressIPv4
	if address.Is6() {
		family, kind = unix.AF_INET6, mptcpAddressIPv6
	}
	a := nl.NewRtAttr(mptcpAttrAddress|unix.NLA_F_NESTED, nil)
	a.AddRtAttr(mptcpAddressFamily, binary.NativeEndian.AppendUint16(nil, family))
	a.AddRtAttr(kind, address.AsSlice())
	a.AddRtAttr(mptcpAddressFlags, nl.Uint32Attr(mptcpSignal))
	a.AddRtAttr(mptcpAddressInterface, nl.Uint32Attr(uint32(index)))
	return a
}
