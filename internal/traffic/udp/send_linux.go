package udp

import (
	"errors"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// chooseSend tries the ways to send, the fastest first, with datagrams that count nothing.
func (w *wire) chooseSend(s options) error {
	try := func(mode string, perCall int) error {
		w.sendMode, w.perCall = mode, perCall
		w.out.make(w)
		b := make([]byte, 2*w.size)
		for i := range 2 {
			traffic.Stamp{Kind: traffic.KindProbe, Index: w.index, Tag: w.tag}.Put(b[i*w.size:])
		}
		_, err := w.send(b, min(2, perCall))
		return err
	}
	want := s.UDP.Send
	if n := min(mostSegments, mostGSO/w.size); n > 1 && (want == "" || want == traffic.UDPGSO) && w.size <= fits(s.Setup) {
		err := unix.SetsockoptInt(w.fd, unix.SOL_UDP, udpSegment, w.size)
		if err == nil {
			err = try(traffic.UDPGSO, n)
		}
		if err == nil || want == traffic.UDPGSO {
			return err
		}
		_ = unix.SetsockoptInt(w.fd, unix.SOL_UDP, udpSegment, 0)
	}
	if want == traffic.UDPGSO {
		return &failure.Error{Code: failure.CodeUnsupported, Subject: "udp send",
			Text: "gso does not work with datagrams of this size; leave the choice to linerate"}
	}
	if want != traffic.UDPPlain {
		if err := try(traffic.UDPMmsg, sendBatch); err == nil || want == traffic.UDPMmsg || !errors.Is(err, unix.ENOSYS) {
			return err
		}
	}
	return try(traffic.UDPPlain, 1)
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

func (o *sendBuffers) make(w *wire) {
	if w.sendMode != traffic.UDPMmsg {
		return
	}
	o.iov, o.msgs = make([]unix.Iovec, w.perCall), make([]mmsghdr, w.perCall)
	for i := range o.msgs {
		o.msgs[i].hdr.Iov = &o.iov[i]
		o.msgs[i].hdr.SetIovlen(1)
	}
}

// send sends n datagrams that follow one another in b, and returns how many the kernel took.
func (w *wire) send(b []byte, n int) (int, error) {
	switch w.sendMode {
	case traffic.UDPGSO:
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
	case traffic.UDPMmsg:
		for i := range n {
			w.out.iov[i].Base = &b[i*w.size]
			w.out.iov[i].SetLen(w.size)
		}
		taken := 0
		for taken < n {
			k, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(w.fd), uintptr(unsafe.Pointer(&w.out.msgs[taken])),
				uintptr(n-taken), 0, 0, 0)
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
		if _, err := w.One(b[i*w.size : (i+1)*w.size]); err != nil {
			return i, err
		}
	}
	return n, nil
}

// One sends one datagram.
func (w *wire) One(b []byte) (int, error) {
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
