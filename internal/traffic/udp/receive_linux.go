package udp

import (
	"errors"
	"linerate/internal/traffic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func (w *wire) chooseReceive(s options) error {
	want := s.UDP.Receive
	w.receiveMode = traffic.UDPPlain
	if want == "" || want == traffic.UDPGRO {
		if err := unix.SetsockoptInt(w.fd, unix.SOL_UDP, udpGRO, 1); err == nil {
			w.receiveMode = traffic.UDPGRO
		} else if want == traffic.UDPGRO {
			return err
		}
	}
	if w.receiveMode == traffic.UDPPlain && want != traffic.UDPPlain {
		w.receiveMode = traffic.UDPMmsg
		w.in.make(w)
		if err := w.fill(unix.MSG_DONTWAIT); errors.Is(err, unix.ENOSYS) && want == "" {
			w.receiveMode = traffic.UDPPlain
		}
	}
	w.in.make(w)
	return nil
}

// receiveBuffers are the structures of one call.
type receiveBuffers struct {
	room    int
	data    []byte
	control []byte
	iov     []unix.Iovec
	msgs    []mmsghdr
	got     int
}

func (r *receiveBuffers) make(w *wire) {
	n := 1
	r.room = w.size + 1
	switch w.receiveMode {
	case traffic.UDPGRO:
		n, r.room = receiveBatch, traffic.LargestDatagram
	case traffic.UDPMmsg:
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

// fill waits for datagrams and takes all that have arrived.
func (w *wire) fill(flags int) error {
	r := &w.in
	r.got = 0
	for {
		if w.receiveMode == traffic.UDPPlain {
			n, err := w.readOne(flags)
			if err == syscall.EINTR {
				continue
			}
			if err == nil {
				r.got, r.msgs[0].len = 1, uint32(n)
			}
			return err
		}
		if w.receiveMode == traffic.UDPGRO {
			for i := range r.msgs {
				r.msgs[i].hdr.Control = &r.control[i*groControlSize]
				r.msgs[i].hdr.SetControllen(groControlSize)
			}
		}
		n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(w.fd), uintptr(unsafe.Pointer(&r.msgs[0])),
			uintptr(len(r.msgs)), uintptr(flags|unix.MSG_WAITFORONE), 0, 0)
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

// receive waits for datagrams and passes each of them to f, with the time at which the call returned. It returns how
// many buffers the kernel filled, and that time.
func (w *wire) receive(f func(b []byte, now int64)) (n int, now int64, err error) {
	if err := w.fill(0); err != nil {
		return 0, 0, err
	}
	now = traffic.Now()
	return w.hand(f, now), now, nil
}

// rest passes what is in the socket to f, without waiting: what it held at the call, and no more, even if peers go on
// sending.
func (w *wire) rest(f func(b []byte, now int64)) (buffers int, err error) {
	for left := w.held(); left > 0; {
		if err := w.fill(unix.MSG_DONTWAIT); err == unix.EAGAIN || err == unix.ECONNREFUSED {
			return buffers, nil
		} else if err != nil {
			return buffers, err
		}
		n := w.hand(func(b []byte, now int64) {
			left -= int64(len(b))
			f(b, now)
		}, traffic.Now())
		if n == 0 {
			return buffers, nil
		}
		buffers += n
		left -= int64(n) // empty ones end, too
	}
	return buffers, nil
}

// readOne takes one datagram with one call.
func (w *wire) readOne(flags int) (n int, err error) {
	if flags == 0 {
		return w.next(w.in.data) // makes no garbage
	}
	n, _, err = unix.Recvfrom(w.fd, w.in.data, flags)
	return n, err
}

// hand passes what was filled to f and returns the number of buffers.
func (w *wire) hand(f func(b []byte, now int64), now int64) int {
	r := &w.in
	for i := range r.got {
		b := r.data[i*r.room:][:r.msgs[i].len]
		each := len(b)
		if w.receiveMode == traffic.UDPGRO {
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

// merged returns the size of the datagrams that the kernel merged, from its control message; size if it merged none.
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
