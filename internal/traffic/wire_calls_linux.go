package traffic

import (
	"io"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// order is what the trial at the other end wants; ok is false when nothing came since the last time.
func (w *wire) order() (c candidate, ok bool) {
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

// sendOrder tells the other end what the trial wants. It does not sleep: two bytes find room, or the connection is
// gone, which the next read tells.
func (w *wire) sendOrder(c candidate) {
	b := c.order()
	_, _ = w.try(unix.SYS_SENDTO, b[:])
}

// discard takes up to n bytes out of the socket without copying them.
func (w *wire) discard(n int) (int, error) {
	for {
		got, _, errno := syscall.Syscall6(unix.SYS_RECVFROM, uintptr(w.fd), 0, uintptr(n), unix.MSG_TRUNC, 0, 0)
		switch {
		case errno == syscall.EINTR:
		case errno != 0:
			return 0, connectError(w.peer, errno)
		case got == 0:
			return 0, io.EOF
		default:
			return int(got), nil
		}
	}
}

// lowWater makes reads sleep until n bytes have arrived, or the other end has closed its direction.
func (w *wire) lowWater(n int) error {
	return unix.SetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_RCVLOWAT, n)
}

// rest makes a read that finds nothing sleep so long before it waits for more.
func (w *wire) rest(d time.Duration) error {
	w.pause = d
	return nil
}

// room sets the size of the receive buffer; 0 lets the kernel tune it again. TCP_WINDOW_CLAMP would say it more directly,
// but the kernel's tuning moves the clamp along with the buffer.
func (w *wire) room(n int) error {
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
func (w *wire) gather(p []byte, times int) (int, error) {
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
			return max(n, 0), connectError(w.peer, err)
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

// spin reads a whole message by asking again and again, which keeps a core busy and spares the wake-up. Asking ends
// when the socket is shut down, as it is at the deadline.
func (w *wire) spin(p []byte) (int, error) {
	for n := 0; ; {
		got, errno := w.try(unix.SYS_RECVFROM, p[n:])
		switch {
		case errno == syscall.EAGAIN || errno == syscall.EINTR:
			continue
		case errno != 0:
			return n, connectError(w.peer, errno)
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
