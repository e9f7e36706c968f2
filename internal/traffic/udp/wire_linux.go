package udp

import (
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
)

// wire is one connected UDP socket: blocking, outside of the runtime's poller, as tcp.Wire is.
type wire struct {
	fd            int
	instead       net.Conn // replaces the socket in a test; nil: none
	peer          string
	index         int
	tag           uint32
	size          int // of a message
	sendMode      string
	receiveMode   string
	perCall       int // datagrams handed over with one call
	out           sendBuffers
	in            receiveBuffers
	mu            sync.Mutex // guards closed against a late interrupt, which must not hit a reused descriptor
	closed, ended bool
}

const (
	// receiveRoom is the receive buffer that is requested, sendRoom the most that all streams together may keep in the
	// kernel: more would be dropped in the sender's own queue instead of making the sender wait.
	receiveRoom    = 32 << 20
	sendRoom       = 212_992
	smallestRoom   = 16 << 10
	mostSegments   = 64     // UDP_MAX_SEGMENTS of the first kernels with UDP_SEGMENT
	mostGSO        = 65_000 // bytes of one call, headers left room for
	udpSegment     = 103    // include/uapi/linux/udp.h
	udpGRO         = 104
	memDrops       = 8 // place in SO_MEMINFO (include/uapi/linux/sock_diag.h)
	groControlSize = 64
)

// newWire takes the socket over, finds out what it can do, and checks that a message fits; c must not be used
// afterwards.
func newWire(c *net.UDPConn, s options, index int, token string) (*wire, error) {
	defer c.Close()
	peer := fmt.Sprintf("%s -> %s (UDP)", s.Local, s.Remote)
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, failure.Of(peer, err)
	}
	w := &wire{fd: -1, peer: peer, index: index, tag: traffic.TagOf(token), size: int(s.size), perCall: 1,
		sendMode: traffic.UDPPlain, receiveMode: traffic.UDPPlain}
	var failed error
	err = raw.Control(func(fd uintptr) {
		if w.fd, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0); failed == nil {
			failed = unix.SetNonblock(w.fd, s.Tuning.Spin)
		}
	})
	if err == nil {
		err = failed
	}
	if err == nil {
		err = w.prepare(s)
		s.Mark(c) // after it: another type of service makes the kernel drop the route, and with it the path's MTU
	}
	if err != nil {
		if w.fd >= 0 {
			unix.Close(w.fd)
		}
		return nil, failure.Of(peer, err)
	}
	return w, nil
}

// newWireOver makes a wire over a connection that is not a socket, for simulations.
func newWireOver(c net.Conn, s options, index int) *wire {
	w := &wire{fd: -1, instead: c, peer: "simulated", index: index, tag: traffic.TagOf("token"), size: int(s.size),
		perCall: 1, sendMode: traffic.UDPPlain, receiveMode: traffic.UDPPlain}
	w.in.make(w)
	return w
}

func (w *wire) prepare(s options) error {
	discover := unix.IP_PMTUDISC_DO
	if s.UDP.Fragment {
		discover = unix.IP_PMTUDISC_DONT
	}
	var mtu int
	var err error
	if s.Local.Is4() {
		if err = unix.SetsockoptInt(w.fd, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, discover); err == nil {
			mtu, err = unix.GetsockoptInt(w.fd, unix.IPPROTO_IP, unix.IP_MTU)
		}
	} else {
		if err = unix.SetsockoptInt(w.fd, unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, discover); err == nil {
			mtu, err = unix.GetsockoptInt(w.fd, unix.IPPROTO_IPV6, unix.IPV6_MTU)
		}
	}
	if err != nil {
		return err
	}
	if fits := mtu - headers(s.Setup); w.size > fits && !s.UDP.Fragment {
		return tooLarge(w.size, fits, fmt.Sprintf("this host's MTU of %d towards %s", mtu, s.Remote))
	}
	streams := max(1, s.Streams)
	_ = unix.SetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_RCVBUF,
		max(receiveRoom/streams, sendRoom)) // as much as the system allows
	if s.asks {
		return nil
	}
	if streams > 1 {
		_ = unix.SetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_SNDBUF,
			max(sendRoom/streams, smallestRoom)/2) // the kernel doubles it
	}
	if s.Active(w.index) {
		return w.chooseSend(s)
	}
	return w.chooseReceive(s)
}

// exchangeTimeout makes reads return after a time, with errNoAnswer.
func (w *wire) exchangeTimeout(ns int64) error {
	if w.instead != nil {
		return nil
	}
	tv := unix.NsecToTimeval(ns)
	return unix.SetsockoptTimeval(w.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv)
}

// Read takes one datagram. It may return errNoAnswer earlier than the time-out: the caller reads its clock.
func (w *wire) Read(b []byte) (int, error) {
	n, err := w.next(b)
	if err == syscall.EAGAIN || err == syscall.EINTR {
		return 0, traffic.ErrNoAnswer
	}
	if err == nil && n == 0 && w.IsEnded() {
		return 0, traffic.ErrEnded
	}
	return max(0, n), err
}

// next waits for one datagram.
func (w *wire) next(b []byte) (int, error) {
	if w.instead != nil {
		return w.instead.Read(b)
	}
	return unix.Read(w.fd, b)
}

// interrupt makes calls that sleep return, now and later.
func (w *wire) interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.ended = true
		if w.instead != nil {
			_ = w.instead.SetDeadline(time.Unix(1, 0))
			return
		}
		_ = unix.Shutdown(w.fd, unix.SHUT_RDWR)
	}
}

func (w *wire) IsEnded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

func (w *wire) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		if w.instead != nil {
			w.instead.Close()
			return
		}
		unix.Close(w.fd)
	}
}

// held returns the memory of what has arrived and was not read, an upper bound of its bytes; -1: unknown.
func (w *wire) held() int64 {
	if mem := w.memory(); mem != nil {
		return int64(mem[traffic.MemRmemAlloc])
	}
	return -1
}

func (w *wire) memory() []uint32 { return socket.Memory(w.fd) }

// dropped returns the buffers that the socket had no room for, and its size; nil and 0: unknown.
func (w *wire) dropped() (drops *int64, buffer int64) {
	mem := w.memory()
	if len(mem) <= memDrops {
		return nil, 0
	}
	n := int64(mem[memDrops])
	return &n, int64(mem[traffic.MemRcvBuf])
}
