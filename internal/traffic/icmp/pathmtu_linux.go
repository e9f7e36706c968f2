package icmp

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

const (
	probeWait   = 200 * time.Millisecond // in addition to three round trips
	errOfICMP   = 2                      // SO_EE_ORIGIN_ICMP (include/uapi/linux/errqueue.h)
	errOfICMP6  = 3
	errLocal    = 1
	sizeOfError = 16 // struct sock_extended_err; the address of who said so follows
)

// findPathMTU sends echoes that must not be fragmented and may be larger than the kernel's own MTU of the path.
func findPathMTU(ctx context.Context, s traffic.Endpoint, rtt time.Duration) (*record.PathMTU, error) {
	s.Tuning.Spin = false
	w, err := open(s, 0)
	if err != nil {
		return nil, err
	}
	defer w.close()
	headers, least := traffic.Ipv4Header+icmpHeader, 68
	if w.six {
		headers, least = traffic.Ipv6Header+icmpHeader, 1280
	}
	if err := w.hear(1); err != nil {
		return nil, failure.Of(w.peer, err)
	}
	if err := w.discover(unix.IP_PMTUDISC_PROBE); err != nil {
		return nil, failure.Of(w.peer, err)
	}
	device := w.deviceMTU()
	if device == 0 {
		return &record.PathMTU{Why: "the interface towards " + s.Remote.String() + " was not found"}, nil
	}
	m, err := searchMTU(least, min(device, 65535), func(sizes []int) (answerOf, error) {
		return w.probe(ctx, sizes, headers, probeWait+3*rtt)
	})
	if err != nil {
		return nil, failure.Of(w.peer, err)
	}
	m.Device = device                         // which may be more than one packet can have
	if fresh, err := open(s, 0); err == nil { // a socket keeps the route that it began with
		m.Kernel, _ = fresh.kernelMTU()
		fresh.close()
	}
	return m, nil
}

// deviceMTU is that of the interface with the socket's own address; 0: there is none.
func (w *wire) deviceMTU() int {
	own, err := unix.Getsockname(w.fd)
	if err != nil {
		return 0
	}
	at := addressOf(own)
	all, err := net.Interfaces()
	if err != nil {
		return 0
	}
	for _, i := range all {
		addresses, _ := i.Addrs()
		for _, a := range addresses {
			if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().WithZone("") == at.WithZone("") {
				return i.MTU
			}
		}
	}
	return 0
}

func addressOf(a unix.Sockaddr) netip.Addr {
	switch a := a.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrFrom4(a.Addr)
	case *unix.SockaddrInet6:
		return netip.AddrFrom16(a.Addr).Unmap()
	}
	return netip.Addr{}
}

// kernelMTU returns the MTU of the path as the kernel knows it.
func (w *wire) kernelMTU() (int, error) {
	if w.six {
		return unix.GetsockoptInt(w.fd, unix.IPPROTO_IPV6, unix.IPV6_MTU)
	}
	return unix.GetsockoptInt(w.fd, unix.IPPROTO_IP, unix.IP_MTU)
}

// probe sends one packet of each size and waits until all have come back, or what is refused is known, or for wait.
func (w *wire) probe(ctx context.Context, sizes []int, headers int, wait time.Duration) (a answerOf, err error) {
	b := make([]byte, traffic.LargestDatagram)
	open := slices.Clone(sizes)
	for _, n := range sizes {
		payload := b[:n-headers]
		putShort(traffic.Stamp{Kind: traffic.KindProbe, Tag: w.tag, Number: int64(n), Time: traffic.Now()}, payload)
		_, err := w.One(payload)
		if isTooLarge(err) { // this call reports what an earlier packet met
			w.pathErrors(&a)
			_, err = w.One(payload)
		}
		if err != nil && !isTooLarge(err) {
			return a, err
		}
	}
	for end := traffic.Now() + int64(wait); len(open) > 0; {
		left := time.Duration(end - traffic.Now())
		if left <= 0 {
			break
		}
		if ctx.Err() != nil {
			return a, context.Cause(ctx)
		}
		fds := []unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, int(left/time.Millisecond)+1); err != nil && err != unix.EINTR {
			return a, err
		}
		if fds[0].Revents&unix.POLLERR != 0 {
			w.pathErrors(&a)
		}
		if a.mtu > 0 {
			open = slices.DeleteFunc(open, func(n int) bool { return n > a.mtu })
		}
		if fds[0].Revents&unix.POLLIN == 0 {
			continue
		}
		n, err := w.Read(b)
		if err != nil {
			continue
		}
		if size := n + headers; slices.Contains(open, size) && w.ours(b[:n], size) {
			a.back = append(a.back, size)
			open = slices.DeleteFunc(open, func(x int) bool { return x == size })
		}
	}
	return a, nil
}

// putShort is put where there is room for it; the smallest packets of IPv4 carry it just so.
func putShort(s traffic.Stamp, b []byte) {
	if len(b) >= traffic.StampSize {
		s.Put(b)
	}
}

// ours reports whether a reply is to the probe of its size.
func (w *wire) ours(b []byte, size int) bool {
	a, ok := traffic.ParseStamp(b)
	return ok && a.Kind == traffic.KindProbe && a.Tag == w.tag && a.Number == int64(size)
}

func isTooLarge(err error) bool {
	e, ok := err.(*failure.Error)
	return ok && e.Code == failure.CodeLimit
}

// pathErrors takes what hosts on the way answered from the socket's queue of errors (ip(7), IP_RECVERR).
func (w *wire) pathErrors(a *answerOf) {
	control := make([]byte, 512)
	for {
		_, n, _, _, err := unix.Recvmsg(w.fd, nil, control, unix.MSG_ERRQUEUE|unix.MSG_DONTWAIT)
		if err != nil {
			return
		}
		messages, err := unix.ParseSocketControlMessage(control[:n])
		if err != nil {
			continue
		}
		for _, m := range messages {
			if hop, mtu, ok := parsePathError(m.Data); ok &&
				(m.Header.Level == unix.IPPROTO_IP || m.Header.Level == unix.IPPROTO_IPV6) {
				a.hop, a.mtu = hop, mtu
			}
		}
	}
}

// parsePathError reads struct sock_extended_err and the address after it; false: it is not a "too big" of another host.
func parsePathError(b []byte) (hop string, mtu int, ok bool) {
	if len(b) < sizeOfError+8 {
		return "", 0, false
	}
	number, origin := binary.NativeEndian.Uint32(b), b[4]
	if unix.Errno(number) != unix.EMSGSIZE || origin == errLocal || origin != errOfICMP && origin != errOfICMP6 {
		return "", 0, false
	}
	info, offender := binary.NativeEndian.Uint32(b[8:]), b[sizeOfError:]
	switch family := binary.NativeEndian.Uint16(offender); {
	case family == unix.AF_INET:
		hop = netip.AddrFrom4([4]byte(offender[4:8])).String()
	case family == unix.AF_INET6 && len(offender) >= int(unsafe.Sizeof(unix.RawSockaddrInet6{})):
		hop = netip.AddrFrom16([16]byte(offender[8:24])).String()
	default:
		return "", 0, false
	}
	return hop, int(min(info, 65535)), true
}
