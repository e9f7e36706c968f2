package traffic

import (
	"errors"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

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
	if w.instead != nil {
		return w.instead.Write(b)
	}
	for {
		n, err := unix.Write(w.fd, b)
		if err != syscall.EINTR && err != syscall.ENOBUFS && err != syscall.EAGAIN {
			return max(0, n), err
		}
	}
}
