package nvmetcp

import (
	"io"
	"net"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socket makes system calls itself, on a descriptor that the runtime's poller does not know: a goroutine that waits in
// the poller releases its thread, and getting it back costs two switches for a locked one. The socket blocks, for at
// most tick, so that one call is enough where data is there or comes soon.
type socket struct {
	fd     int
	in     [2]unix.Iovec
	out    [maxIov]unix.Iovec
	msg    unix.Msghdr
	mu     sync.Mutex // protects closed, for interrupt
	closed bool
	broken bool // interrupted
}

const (
	maxIov = 1024
	tick   = 100 * time.Millisecond
)

// newStream takes conn over. A connection that is not a system socket uses package net.
func newStream(conn net.Conn) (stream, error) {
	sys, ok := conn.(syscall.Conn)
	if !ok {
		return newNetStream(conn), nil
	}
	raw, err := sys.SyscallConn()
	if err != nil {
		return nil, err
	}
	s := &socket{fd: -1}
	var failed error
	if err := raw.Control(func(fd uintptr) { s.fd, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	conn.Close() // the other descriptor; it leaves the poller with it
	limit := unix.NsecToTimeval(int64(tick))
	for _, err := range []error{unix.SetNonblock(s.fd, false), unix.SetsockoptTimeval(s.fd, unix.SOL_SOCKET,
		unix.SO_RCVTIMEO, &limit),
		unix.SetsockoptTimeval(s.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &limit)} {
		if err != nil {
			unix.Close(s.fd)
			return nil, err
		}
	}
	return s, nil
}

func (s *socket) receive(a, b []byte, left time.Duration, sending bool) (int, error) {
	var until time.Time
	for {
		wait := left
		if !until.IsZero() {
			wait = max(time.Until(until), 0)
		}
		if sending || wait >= 0 && wait < tick {
			events := int16(unix.POLLIN)
			if sending {
				events |= unix.POLLOUT
			}
			fds := [1]unix.PollFd{{Fd: int32(s.fd), Events: events}}
			limit := unix.NsecToTimespec(int64(tick))
			if wait >= 0 && wait < tick {
				limit = unix.NsecToTimespec(int64(wait))
			}
			n, err := unix.Ppoll(fds[:], &limit, nil)
			switch {
			case err == unix.EINTR:
			case err != nil:
				return 0, err
			case n == 0:
				if wait >= 0 && wait < tick {
					return 0, errTimeout
				}
			case fds[0].Revents&^unix.POLLOUT == 0:
				return 0, nil
			}
			if n <= 0 {
				if left >= 0 && until.IsZero() {
					until = time.Now().Add(left)
					if n == 0 {
						until = until.Add(-tick)
					}
				}
				continue
			}
		}
		n := 0
		for _, v := range [2][]byte{a, b} {
			if len(v) > 0 {
				s.in[n].Base = &v[0]
				s.in[n].SetLen(len(v))
				n++
			}
		}
		got, _, errno := unix.Syscall(unix.SYS_READV, uintptr(s.fd), uintptr(unsafe.Pointer(&s.in)), uintptr(n))
		switch errno {
		case 0:
			if got == 0 {
				return 0, io.EOF
			}
			return int(got), nil
		case unix.EINTR, unix.EAGAIN:
			if left >= 0 && until.IsZero() {
				until = time.Now().Add(left)
				if errno == unix.EAGAIN {
					until = until.Add(-tick)
				}
			}
		default:
			return 0, errno
		}
	}
}

func (s *socket) sendmsg(vec [][]byte, flags uintptr) (int, error) {
	n := 0
	for _, v := range vec {
		if len(v) == 0 {
			continue
		}
		if n == maxIov {
			break
		}
		s.out[n].Base = &v[0]
		s.out[n].SetLen(len(v))
		n++
	}
	if n == 0 {
		return 0, nil
	}
	s.msg.Iov = &s.out[0]
	s.msg.SetIovlen(n)
	for {
		sent, _, errno := unix.Syscall(unix.SYS_SENDMSG, uintptr(s.fd), uintptr(unsafe.Pointer(&s.msg)),
			flags|unix.MSG_NOSIGNAL)
		switch errno {
		case 0:
			return int(sent), nil
		case unix.EINTR:
		case unix.EAGAIN:
			return 0, nil
		default:
			return 0, errno
		}
	}
}

func (s *socket) send(vec [][]byte) (int, error) { return s.sendmsg(vec, unix.MSG_DONTWAIT) }

func (s *socket) sendAll(vec [][]byte, limit time.Duration) error {
	var until time.Time
	for len(vec) > 0 {
		n, err := s.sendmsg(vec, 0)
		if err != nil {
			return err
		}
		if vec = advance(vec, n); n == 0 && len(vec) > 0 {
			now := time.Now()
			if until.IsZero() {
				until = now.Add(limit)
			} else if now.After(until) {
				return errTimeout
			}
		}
	}
	return nil
}

func (s *socket) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.broken = true
		unix.Shutdown(s.fd, unix.SHUT_RDWR)
	}
}

func (s *socket) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		unix.Close(s.fd)
	}
}
