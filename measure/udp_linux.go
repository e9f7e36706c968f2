package measure

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// udpWire is one connected UDP socket: blocking, outside of the runtime's poller, as wire is.
type udpWire struct {
	fd            int
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

// chooseSend tries the ways to send, the fastest first, with datagrams that count nothing.
func (w *udpWire) chooseSend(s Setup) error {
	try := func(mode string, perCall int) error {
		w.sendMode, w.perCall = mode, perCall
		w.out.make(w)
		b := make([]byte, 2*w.size)
		for i := range 2 {
			stamp{kind: kindProbe, index: w.index, tag: w.tag}.put(b[i*w.size:])
		}
		_, err := w.send(b, min(2, perCall))
		return err
	}
	want := s.UDP.Send
	if n := min(mostSegments, mostGSO/w.size); n > 1 && (want == "" || want == UDPGSO) && w.size <= s.udpFits() {
		err := unix.SetsockoptInt(w.fd, unix.SOL_UDP, udpSegment, w.size)
		if err == nil {
			err = try(UDPGSO, n)
		}
		if err == nil || want == UDPGSO {
			return err
		}
		_ = unix.SetsockoptInt(w.fd, unix.SOL_UDP, udpSegment, 0)
	}
	if want == UDPGSO {
		return &Error{Code: CodeUnsupported, Subject: "udp send", Text: "gso does not work with datagrams of this size; leave the choice to linerate"}
	}
	if want != UDPPlain {
		if err := try(UDPMmsg, sendBatch); err == nil || want == UDPMmsg || !errors.Is(err, unix.ENOSYS) {
			return err
		}
	}
	return try(UDPPlain, 1)
}

func (w *udpWire) chooseReceive(s Setup) error {
	want := s.UDP.Receive
	w.receiveMode = UDPPlain
	if want == "" || want == UDPGRO {
		if err := unix.SetsockoptInt(w.fd, unix.SOL_UDP, udpGRO, 1); err == nil {
			w.receiveMode = UDPGRO
		} else if want == UDPGRO {
			return err
		}
	}
	if w.receiveMode == UDPPlain && want != UDPPlain {
		w.receiveMode = UDPMmsg
		w.in.make(w)
		if err := w.fill(unix.MSG_DONTWAIT); errors.Is(err, unix.ENOSYS) && want == "" {
			w.receiveMode = UDPPlain
		}
	}
	w.in.make(w)
	return nil
}

// mmsghdr is the kernel's struct mmsghdr.
type mmsghdr struct {
	hdr unix.Msghdr
	len uint32
}

// sendBuffers are the structures of one call.
type sendBuffers struct {
	iov  []unix.Iovec
	msgs []mmsghdr
}

func (o *sendBuffers) make(w *udpWire) {
	if w.sendMode != UDPMmsg {
		return
	}
	o.iov, o.msgs = make([]unix.Iovec, w.perCall), make([]mmsghdr, w.perCall)
	for i := range o.msgs {
		o.msgs[i].hdr.Iov = &o.iov[i]
		o.msgs[i].hdr.SetIovlen(1)
	}
}

// send hands n datagrams over that stand one behind the other in b, and returns how many the kernel took.
func (w *udpWire) send(b []byte, n int) (int, error) {
	switch w.sendMode {
	case UDPGSO:
		for {
			_, err := unix.Write(w.fd, b[:n*w.size])
			switch err {
			case nil:
				return n, nil
			case syscall.EINTR, syscall.ENOBUFS:
			default:
				return 0, err
			}
		}
	case UDPMmsg:
		for i := range n {
			w.out.iov[i].Base = &b[i*w.size]
			w.out.iov[i].SetLen(w.size)
		}
		taken := 0
		for taken < n {
			k, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(w.fd), uintptr(unsafe.Pointer(&w.out.msgs[taken])), uintptr(n-taken), 0, 0, 0)
			switch errno {
			case 0:
				taken += int(k)
			case syscall.EINTR, syscall.ENOBUFS:
			default:
				return taken, errno
			}
		}
		return taken, nil
	}
	for i := range n {
		if _, err := w.one(b[i*w.size : (i+1)*w.size]); err != nil {
			return i, err
		}
	}
	return n, nil
}

// one sends one datagram.
func (w *udpWire) one(b []byte) (int, error) {
	for {
		n, err := unix.Write(w.fd, b)
		if err != syscall.EINTR && err != syscall.ENOBUFS && err != syscall.EAGAIN {
			return max(0, n), err
		}
	}
}

// receiveBuffers are what one call fills.
type receiveBuffers struct {
	room    int
	data    []byte
	control []byte
	iov     []unix.Iovec
	msgs    []mmsghdr
	got     int
}

func (r *receiveBuffers) make(w *udpWire) {
	n := 1
	r.room = w.size + 1
	switch w.receiveMode {
	case UDPGRO:
		n, r.room = receiveBatch, largestDatagram
	case UDPMmsg:
		n = sendBatch
	}
	r.data, r.iov, r.msgs = make([]byte, n*r.room), make([]unix.Iovec, n), make([]mmsghdr, n)
	r.control = make([]byte, n*groControlSize)
	for i := range r.msgs {
		r.iov[i].Base = &r.data[i*r.room]
		r.iov[i].SetLen(r.room)
		r.msgs[i].hdr.Iov = &r.iov[i]
		r.msgs[i].hdr.SetIovlen(1)
	}
}

// fill waits until there is something and takes what is there.
func (w *udpWire) fill(flags int) error {
	r := &w.in
	r.got = 0
	for {
		if w.receiveMode == UDPPlain {
			n, err := unix.Read(w.fd, r.data)
			if err == syscall.EINTR {
				continue
			}
			if err == nil {
				r.got, r.msgs[0].len = 1, uint32(n)
			}
			return err
		}
		if w.receiveMode == UDPGRO {
			for i := range r.msgs {
				r.msgs[i].hdr.Control = &r.control[i*groControlSize]
				r.msgs[i].hdr.SetControllen(groControlSize)
			}
		}
		n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(w.fd), uintptr(unsafe.Pointer(&r.msgs[0])), uintptr(len(r.msgs)), uintptr(flags|unix.MSG_WAITFORONE), 0, 0)
		if errno == syscall.EINTR {
			continue
		}
		if errno != 0 {
			return errno
		}
		r.got = int(n)
		return nil
	}
}

// receive waits for datagrams and hands each of them to f, with the time at which the call returned. It returns how
// many buffers the kernel filled, and that time.
func (w *udpWire) receive(f func(b []byte, now int64)) (n int, now int64, err error) {
	if err := w.fill(0); err != nil {
		return 0, 0, err
	}
	now = Now()
	r := &w.in
	for i := range r.got {
		b := r.data[i*r.room:][:r.msgs[i].len]
		each := len(b)
		if w.receiveMode == UDPGRO {
			each = merged(r.control[i*groControlSize:][:r.msgs[i].hdr.Controllen], each)
		}
		for len(b) > 0 {
			n := min(each, len(b))
			f(b[:n], now)
			b = b[n:]
		}
	}
	return r.got, now, nil
}

// merged is the size of the datagrams that the kernel merged, from its control message; size if it merged none.
func merged(control []byte, size int) int {
	const head = unix.SizeofCmsghdr
	if len(control) < head+4 {
		return size
	}
	h := (*unix.Cmsghdr)(unsafe.Pointer(&control[0]))
	if h.Level != unix.SOL_UDP || h.Type != udpGRO {
		return size
	}
	n := int(*(*int32)(unsafe.Pointer(&control[unix.CmsgLen(0)])))
	if n <= 0 {
		return size
	}
	return n
}

// exchangeTimeout makes reads return after a time, with errNoAnswer.
func (w *udpWire) exchangeTimeout(ns int64) error {
	tv := unix.NsecToTimeval(ns)
	return unix.SetsockoptTimeval(w.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv)
}

// read takes one datagram. It may return errNoAnswer earlier than the time-out: the caller looks at its clock.
func (w *udpWire) read(b []byte) (int, error) {
	n, err := unix.Read(w.fd, b)
	if err == syscall.EAGAIN || err == syscall.EINTR {
		return 0, errNoAnswer
	}
	if err == nil && n == 0 && w.isEnded() {
		return 0, errEnded
	}
	return max(0, n), err
}

// interrupt makes calls that sleep return, now and later.
func (w *udpWire) interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.ended = true
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
