//go:build unix

package udp

import (
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

// connectUDP connects a socket that listens to one sender: the kernel then drops the datagrams of others.
func connectUDP(c *net.UDPConn, to netip.AddrPort) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var at unix.Sockaddr
	if a := to.Addr().Unmap(); a.Is4() {
		at = &unix.SockaddrInet4{Port: int(to.Port()), Addr: a.As4()}
	} else {
		six := &unix.SockaddrInet6{Port: int(to.Port()), Addr: a.As16()}
		if zone := a.Zone(); zone != "" {
			i, err := net.InterfaceByName(zone)
			if err != nil {
				return err
			}
			six.ZoneId = uint32(i.Index)
		}
		at = six
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = unix.Connect(int(fd), at) }); err != nil {
		return err
	}
	return failed
}
