package traffic

import (
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// udpWire is one connected UDP socket: blocking, outside of the runtime's poller, as wire is.
type udpWire struct {
	fd            int
	instead       net.Conn // what a test puts in place of the socket; nil: none
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
	// receiveRoom is the receive buffer that is asked for, sendRoom what all streams together may keep in the kernel: more
	// would be thrown away in the sender's own queue instead of making the sender wait.
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

// newUDPWire takes the socket over, finds out what it can do, and checks that a message fits; c must not be used afterwards.
func newUDPWire(c *net.UDPConn, s Setup, index int, token string) (*udpWire, error) {
	defer c.Close()
	peer := fmt.Sprintf("%s -> %s (UDP)", s.Local, s.Remote)
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, connectError(peer, err)
	}
	w := &udpWire{fd: -1, peer: peer, index: index, tag: tagOf(token), size: int(s.udpSize()), perCall: 1, sendMode: UDPPlain, receiveMode: UDPPlain}
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
		s.mark(c) // behind it: another type of service makes the kernel forget the route, and with it the path's MTU
	}
	if err != nil {
		if w.fd >= 0 {
			unix.Close(w.fd)
		}
		return nil, connectError(peer, err)
	}
	return w, nil
}

func (w *udpWire) prepare(s Setup) error {
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
	if fits := mtu - s.udpHeaders(); w.size > fits && !s.UDP.Fragment {
		return tooLarge(w.size, fits, fmt.Sprintf("this host's MTU of %d towards %s", mtu, s.Remote))
	}
	streams := max(1, s.Streams)
	_ = unix.SetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, max(receiveRoom/streams, sendRoom)) // as much as the system allows
	if s.Method != "stream" {
		return nil
	}
	if streams > 1 {
		_ = unix.SetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_SNDBUF, max(sendRoom/streams, smallestRoom)/2) // the kernel doubles it
	}
	if s.active(w.index) {
		return w.chooseSend(s)
	}
	return w.chooseReceive(s)
}

// exchangeTimeout makes reads return after a time, with errNoAnswer.
func (w *udpWire) exchangeTimeout(ns int64) error {
	if w.instead != nil {
		return nil
	}
	tv := unix.NsecToTimeval(ns)
	return unix.SetsockoptTimeval(w.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv)
}

// read takes one datagram. It may return errNoAnswer earlier than the time-out: the caller looks at its clock.
func (w *udpWire) read(b []byte) (int, error) {
	n, err := w.next(b)
	if err == syscall.EAGAIN || err == syscall.EINTR {
		return 0, errNoAnswer
	}
	if err == nil && n == 0 && w.isEnded() {
		return 0, errEnded
	}
	return max(0, n), err
}

// next waits for one datagram.
func (w *udpWire) next(b []byte) (int, error) {
	if w.instead != nil {
		return w.instead.Read(b)
	}
	return unix.Read(w.fd, b)
}

// interrupt makes calls that sleep return, now and later.
func (w *udpWire) interrupt() {
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

func (w *udpWire) isEnded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

func (w *udpWire) close() {
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

// held is the memory of what has arrived and was not read, an upper bound of its bytes; -1 if the kernel does not say.
func (w *udpWire) held() int64 {
	if mem := w.memory(); mem != nil {
		return int64(mem[memRmemAlloc])
	}
	return -1
}

func (w *udpWire) memory() []uint32 {
	var mem [unix.SK_MEMINFO_VARS]uint32
	n, err := getsockopt(w.fd, unix.SOL_SOCKET, unix.SO_MEMINFO, unsafe.Pointer(&mem[0]), int(unsafe.Sizeof(mem)))
	if err != nil {
		return nil
	}
	return mem[:n/4]
}

// dropped is what the socket had no room for, in buffers, and how large it is; nil and 0 if the kernel does not say.
func (w *udpWire) dropped() (drops *int64, buffer int64) {
	mem := w.memory()
	if len(mem) <= memDrops {
		return nil, 0
	}
	n := int64(mem[memDrops])
	return &n, int64(mem[memRcvBuf])
}
