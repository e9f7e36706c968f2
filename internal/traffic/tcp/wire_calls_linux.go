package tcp

import (
	"fmt"
	"io"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
)

// order reads what the trial at the other end wants; ok is false when nothing came since the last time.
func (w *Wire) order() (c candidate, ok bool) {
	var buf [64]byte
	n, errno := w.try(unix.SYS_RECVFROM, buf[:])
	if errno != 0 || n == 0 {
		return c, false
	}
	w.pending = append(w.pending, buf[:n]...)
	for len(w.pending) >= 2 {
		if next, good := parseOrder([2]byte(w.pending)); good {
			c, ok = next, true
		}
		w.pending = w.pending[2:]
	}
	return c, ok
}

// sendOrder sends the other end what the trial wants. It does not sleep: two bytes find room, or the connection is
// gone, which the next read reports.
func (w *Wire) sendOrder(c candidate) {
	b := c.order()
	_, _ = w.try(unix.SYS_SENDTO, b[:])
}

// discard takes up to n bytes out of the socket without copying them.
func (w *Wire) discard(n int) (int, error) {
	for {
		got, _, errno := syscall.Syscall6(unix.SYS_RECVFROM, uintptr(w.fd), 0, uintptr(n), unix.MSG_TRUNC, 0, 0)
		switch {
		case errno == syscall.EINTR:
		case errno != 0:
			return 0, failure.Of(w.peer, errno)
		case got == 0:
			return 0, io.EOF
		default:
			return int(got), nil
		}
	}
}

// lowWater makes reads sleep until n bytes have arrived, or the other end has closed its direction.
func (w *Wire) lowWater(n int) error {
	return unix.SetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT, n)
}

// rest makes a read that finds nothing sleep so long before it waits for more.
func (w *Wire) rest(d time.Duration) error {
	w.pause = d
	return nil
}

// room sets the size of the receive buffer; 0 lets the kernel tune it again. TCP_WINDOW_CLAMP would be more direct, but
// the kernel's tuning moves the clamp along with the buffer.
func (w *Wire) room(n int) error {
	if n > 0 {
		return unix.SetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, n/2) // the kernel doubles it
	}
	if unix.SetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_BUF_LOCK, 0) == nil {
		return nil
	}
	// Before Linux 5.14 a size that was set once stays: as large as the system allows then.
	return unix.SetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, int(largestBuffer))
}

// gather sends one message several times with one call for all of them.
func (w *Wire) gather(p []byte, times int) (int, error) {
	pieces := make([][]byte, times)
	for i := range pieces {
		pieces[i] = p
	}
	all := times * len(p)
	for {
		n, err := unix.Writev(w.fd, pieces)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return max(n, 0), failure.Of(w.peer, err)
		}
		for sent := n; sent < all; {
			// The rest of a call that was cut short goes piece by piece.
			rest, err := w.Write(p[sent%len(p):])
			sent += rest
			n = sent
			if err != nil {
				return n, err
			}
		}
		return n, nil
	}
}

// Spin reads a whole message by polling, which keeps a core busy and spares the wake-up. It ends when the socket is
// shut down, as it is at the deadline.
func (w *Wire) Spin(p []byte) (int, error) {
	for n := 0; ; {
		got, errno := w.try(unix.SYS_RECVFROM, p[n:])
		switch {
		case errno == syscall.EAGAIN || errno == syscall.EINTR:
			continue
		case errno != 0:
			return n, failure.Of(w.peer, errno)
		case got == 0 && n == 0:
			return 0, io.EOF
		case got == 0:
			return n, io.ErrUnexpectedEOF
		}
		if n += got; n == len(p) {
			return n, nil
		}
	}
}

// Ask is Reading without the name of the congestion control, into buf, which must have room for struct tcp_info.
// Without queues it reads the counters of TCP_INFO alone: one system call.
func (w *Wire) Ask(buf []byte, queues bool) (*traffic.Reading, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, fmt.Errorf("the socket is closed")
	}
	n, err := socket.Getsockopt(w.fd, unix.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&buf[0]), len(buf))
	if err != nil {
		return nil, fmt.Errorf("TCP_INFO: %w", err)
	}
	r := &traffic.Reading{Info: buf[:n]}
	if !queues {
		return r, nil
	}
	r.Mem = w.memory()
	if v, err := unix.IoctlGetInt(w.fd, unix.SIOCINQ); err == nil {
		n := int64(v)
		r.InQ = &n
	}
	if v, err := unix.IoctlGetInt(w.fd, unix.SIOCOUTQ); err == nil {
		n := int64(v)
		r.OutQ = &n
	}
	return r, nil
}

const (
	tcpNotSentLowAt = 25 // include/uapi/linux/tcp.h
	// pacedAhead is the part of a paced stream that may wait in the kernel, in seconds, but at least pacedLeast bytes: a
	// full buffer would only be thrown away at the end.
	pacedAhead = 0.004
	pacedLeast = 128 << 10
)

// pace makes the kernel space the bytes of this connection. TCP does so by itself, whatever the queueing discipline.
func (w *Wire) pace(r unit.BitRate) error {
	if err := socket.MaxPacing(w.fd, r); err != nil {
		return err
	}
	// An error is harmless: the sender then only has more bytes under way.
	_ = unix.SetsockoptInt(w.fd, unix.IPPROTO_TCP, tcpNotSentLowAt, max(pacedLeast, int(float64(r)/8*pacedAhead)))
	return nil
}
