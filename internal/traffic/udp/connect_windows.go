package udp

import (
	"net"
	"net/netip"

	"golang.org/x/sys/windows"
)

// connectUDP connects a socket that listens to one sender: the system then drops the datagrams of others.
func connectUDP(c *net.UDPConn, to netip.AddrPort) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var at windows.Sockaddr
	if a := to.Addr().Unmap(); a.Is4() {
		at = &windows.SockaddrInet4{Port: int(to.Port()), Addr: a.As4()}
	} else {
		at = &windows.SockaddrInet6{Port: int(to.Port()), Addr: a.As16()}
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = windows.Connect(windows.Handle(fd), at) }); err != nil {
		return err
	}
	return failed
}
