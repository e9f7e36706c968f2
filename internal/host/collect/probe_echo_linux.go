package collect

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"

	"golang.org/x/sys/unix"
)

// echoSocket sends ICMP echoes that must not be fragmented, whatever path MTU the kernel assumes.
type echoSocket struct {
	fd       int // -1: there is none
	err      error
	six, raw bool
	id       uint16 // of a raw socket; the kernel numbers others
	out      []byte
}

func (p *prober) openEchoes() {
	for _, t := range p.targets {
		if i := family(t.Address); p.echo[i] == nil {
			p.echo[i] = openEcho(t.Address.Is6())
		}
	}
}

// openEcho opens an unprivileged ICMP socket, where the user's group may have one (net.ipv4.ping_group_range), or else
// a raw one.
func openEcho(six bool) *echoSocket {
	e := &echoSocket{fd: -1, six: six, id: uint16(rand.Uint32()), out: make([]byte, 1<<16)}
	domain, protocol, level := unix.AF_INET, unix.IPPROTO_ICMP, unix.IPPROTO_IP
	if six {
		domain, protocol, level = unix.AF_INET6, unix.IPPROTO_ICMPV6, unix.IPPROTO_IPV6
	}
	const kind = unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK
	fd, err := unix.Socket(domain, unix.SOCK_DGRAM|kind, protocol)
	if err != nil {
		e.raw = true
		fd, err = unix.Socket(domain, unix.SOCK_RAW|kind, protocol)
	}
	if err == nil {
		option := unix.IP_MTU_DISCOVER
		if six {
			option = unix.IPV6_MTU_DISCOVER
		}
		if err = unix.SetsockoptInt(fd, level, option, unix.IP_PMTUDISC_PROBE); err != nil {
			unix.Close(fd)
		}
	}
	if e.err = err; err == nil {
		e.fd = fd
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 4<<20) // as much as the system allows
	}
	return e
}

// send sends one echo whose IP packet has size bytes.
func (e *echoSocket) send(to netip.Addr, sequence uint16, size int) error {
	header, request := 20, byte(8)
	if e.six {
		header, request = 40, 128
	}
	b := e.out[:max(size-header, 8)]
	clear(b[:8])
	b[0] = request
	binary.BigEndian.PutUint16(b[4:], e.id)
	binary.BigEndian.PutUint16(b[6:], sequence)
	if !e.six { // for ICMPv6 the kernel sets it
		binary.BigEndian.PutUint16(b[2:], checksum(b))
	}
	var addr unix.Sockaddr = &unix.SockaddrInet4{Addr: [4]byte{}}
	if e.six {
		addr = &unix.SockaddrInet6{Addr: to.As16()}
	} else {
		addr = &unix.SockaddrInet4{Addr: to.As4()}
	}
	return unix.Sendto(e.fd, b, 0, addr)
}

// checksum returns the checksum of RFC 1071.
func checksum(b []byte) uint16 {
	sum := uint32(0)
	for ; len(b) > 1; b = b[2:] {
		sum += uint32(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		sum += uint32(b[0]) << 8
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}

// receive reads one answer; ok is false when there is none. Answers to others are skipped.
func (e *echoSocket) receive(b []byte) (sequence uint16, from netip.Addr, ok bool) {
	for range 64 { // an answer of a router on the path arrives as an error, once each
		n, addr, err := unix.Recvfrom(e.fd, b, 0)
		if err == unix.EAGAIN {
			return 0, from, false
		}
		if err != nil {
			continue
		}
		switch a := addr.(type) {
		case *unix.SockaddrInet4:
			from = netip.AddrFrom4(a.Addr)
		case *unix.SockaddrInet6:
			from = netip.AddrFrom16(a.Addr)
		}
		if sequence, ok = parseEchoReply(b[:n], e.six, e.raw, e.id); ok {
			return sequence, from, true
		}
	}
	return 0, from, false
}
