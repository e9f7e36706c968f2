package traffic

import (
	"errors"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

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
			n, err := w.readOne(flags)
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
	return w.hand(f, now), now, nil
}

// rest hands over what stands in the socket, without waiting: what it held when it was asked, and no more, whoever goes on sending.
func (w *udpWire) rest(f func(b []byte, now int64)) (buffers int, err error) {
	for left := w.held(); left > 0; {
		if err := w.fill(unix.MSG_DONTWAIT); err == unix.EAGAIN || err == unix.ECONNREFUSED {
			return buffers, nil
		} else if err != nil {
			return buffers, err
		}
		n := w.hand(func(b []byte, now int64) {
			left -= int64(len(b))
			f(b, now)
		}, Now())
		if n == 0 {
			return buffers, nil
		}
		buffers += n
		left -= int64(n) // also of empty ones there is an end
	}
	return buffers, nil
}

// readOne takes one datagram with one call.
func (w *udpWire) readOne(flags int) (n int, err error) {
	if flags == 0 {
		return w.next(w.in.data) // makes no garbage
	}
	n, _, err = unix.Recvfrom(w.fd, w.in.data, flags)
	return n, err
}

// hand hands over what was filled and says how many buffers that were.
func (w *udpWire) hand(f func(b []byte, now int64), now int64) int {
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
	return r.got
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
