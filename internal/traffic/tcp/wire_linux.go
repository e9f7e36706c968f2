package tcp

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
)

// Wire is one data connection: a blocking socket outside of the runtime's poller, because a call that sleeps in the
// kernel needs one wake-up, not two.
type Wire struct {
	fd      int
	instead connection // replaces the socket in a test; nil: none
	peer    string
	mu      sync.Mutex // guards closed against a late Interrupt, which must not hit a reused descriptor
	closed  bool
	drained bool
	holds   bool          // see Hold
	full    bool          // the last read filled its buffer
	waited  bool          // the last write may have slept
	pause   time.Duration // that a read which finds nothing sleeps before it waits, 0: none
	pending []byte
}

// newWire takes the connection over; c must not be used afterwards.
func newWire(c *net.TCPConn, subject string) (*Wire, error) {
	defer c.Close()
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, failure.Of(subject, err)
	}
	w := &Wire{fd: -1, peer: subject}
	var failed error
	err = raw.Control(func(fd uintptr) {
		if w.fd, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0); failed == nil {
			failed = unix.SetNonblock(w.fd, false)
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		if w.fd >= 0 {
			unix.Close(w.fd)
		}
		return nil, failure.Of(subject, err)
	}
	return w, nil
}

// Read takes what has arrived, or sleeps until something does. Package runtime learns only of a long sleep, see Hold.
func (w *Wire) Read(p []byte) (int, error) {
	if w.instead != nil {
		return w.instead.Read(p)
	}
	flags := 0
	if w.pause > 0 && w.full { // after a part of a message its rest is on the way
		flags = unix.MSG_DONTWAIT
	}
	for {
		n, errno := w.call(unix.SYS_RECVFROM, p, flags)
		switch {
		case errno == 0 && n == 0:
			return 0, io.EOF
		case errno == 0:
			w.full = n == len(p)
			return n, nil
		case errno == unix.EAGAIN && flags != 0:
			flags = 0
			t := unix.NsecToTimespec(w.pause.Nanoseconds())
			_ = unix.Nanosleep(&t, nil) // a signal cuts it short
		case errno == unix.EAGAIN:
			w.await(unix.POLLIN)
		case errno == unix.EINTR:
			if w.holds { // the signal may be the runtime's, which wants to stop this thread, and sends it again until it can
				runtime.Gosched()
			}
		default:
			return 0, failure.Of(w.peer, errno)
		}
	}
}

// Write sends all of p. Of a small message it finds out whether it slept.
func (w *Wire) Write(p []byte) (int, error) {
	if w.instead != nil {
		w.waited = true
		return w.instead.Write(p)
	}
	written, flags := 0, 0
	if len(p) <= int(smallMessages) {
		flags = unix.MSG_DONTWAIT
	}
	w.waited = false
	for written < len(p) {
		n, errno := w.call(unix.SYS_SENDTO, p[written:], flags|unix.MSG_NOSIGNAL)
		written += n
		switch {
		case flags != 0:
			flags = 0
			w.waited = written < len(p)
		case errno == unix.EAGAIN:
			w.await(unix.POLLOUT)
		}
		if errno != 0 && errno != unix.EAGAIN && errno != unix.EINTR {
			return written, failure.Of(w.peer, errno)
		}
	}
	return written, nil
}

// slept reports whether the last write may have slept.
func (w *Wire) slept() bool { return w.waited }

// try receives or sends what can be without sleeping.
func (w *Wire) try(call uintptr, p []byte) (int, syscall.Errno) {
	return raw(call, w.fd, p, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
}

// call receives or sends. What cannot sleep long needs no help of package runtime, whose bookkeeping would be a tenth
// of the cost of a small message.
func (w *Wire) call(call uintptr, p []byte, flags int) (int, syscall.Errno) {
	if w.holds || flags&unix.MSG_DONTWAIT != 0 {
		return raw(call, w.fd, p, flags)
	}
	n, _, errno := syscall.Syscall6(call, uintptr(w.fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)),
		uintptr(flags), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

func raw(call uintptr, fd int, p []byte, flags int) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)),
		uintptr(flags), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// HoldTime is how long a call keeps its P, the runtime's slot of a CPU, while it sleeps: package runtime takes one away
// after 10 ms, and its garbage collector waits for it.
const HoldTime = 4 * time.Millisecond

// Hold lets reads and writes keep their P while they sleep, for HoldTime; after that they give it up and wait for the
// socket. The runtime takes the P away from a long call that it knows of, and then searches every 20 us for more
// (measured: 0.1 to 0.16 cores with four senders on one core).
func (w *Wire) Hold() {
	t := unix.NsecToTimeval(HoldTime.Nanoseconds())
	w.holds = unix.SetsockoptTimeval(w.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &t) == nil &&
		unix.SetsockoptTimeval(w.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &t) == nil
}

// await sleeps until the socket is ready, has an error or is closed; the call after it reports which.
func (w *Wire) await(events int16) {
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(w.fd), Events: events}}, -1)
}

// CloseWrite ends this direction of the connection.
func (w *Wire) CloseWrite() error {
	if w.instead != nil {
		return w.instead.CloseWrite()
	}
	return unix.Shutdown(w.fd, unix.SHUT_WR)
}

// Interrupt makes calls that sleep return, now and later.
func (w *Wire) Interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
	case w.instead != nil:
		_ = w.instead.SetDeadline(time.Unix(1, 0))
	default:
		_ = unix.Shutdown(w.fd, unix.SHUT_RDWR)
	}
}

// Close closes the socket. Without drained, what is still in its buffer is thrown away, so that it cannot disturb what
// is measured next.
func (w *Wire) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	w.closed = true
	if w.instead != nil {
		w.instead.Close()
		return
	}
	if !w.drained {
		_ = unix.SetsockoptLinger(w.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	}
	unix.Close(w.fd)
}

// held returns what has arrived and was not read. With an empty queue the memory that is still in use belongs to
// segments that wait for one before them; it is an upper bound of their bytes. Memory is read first: what arrives in
// between is then in the queue. -1: unknown.
func (w *Wire) held() int64 {
	mem := w.memory()
	in, err := unix.IoctlGetInt(w.fd, unix.SIOCINQ)
	if err != nil {
		return -1
	}
	if in == 0 && mem != nil {
		return int64(mem[traffic.MemRmemAlloc])
	}
	return int64(in)
}

// Arrival returns what has arrived, read or not (tcpi_bytes_received, since Linux 4.1).
func (w *Wire) Arrival() traffic.Arrival {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return traffic.Arrival{}
	}
	var buf [traffic.TcpiBytesReceived + 8]byte
	before := traffic.Now()
	n, err := socket.Getsockopt(w.fd, unix.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&buf[0]), len(buf))
	if err != nil {
		return traffic.Arrival{}
	}
	bytes := traffic.TCPInfo(buf[:n]).U64(traffic.TcpiBytesReceived)
	if bytes == nil {
		return traffic.Arrival{}
	}
	a := traffic.Arrival{Stamp: (before + traffic.Now()) / 2, Bytes: int64(*bytes)}
	in, err := unix.IoctlGetInt(w.fd, unix.SIOCINQ)
	if err != nil {
		return traffic.Arrival{}
	}
	a.Unread = int64(in)
	if in > 0 {
		return a
	}
	// With an empty queue memory belongs to segments that wait for one before them, if nothing came meanwhile.
	mem := w.memory()
	if mem == nil || mem[traffic.MemRmemAlloc] == 0 {
		return a
	}
	if n, err := socket.Getsockopt(w.fd, unix.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&buf[0]), len(buf)); err == nil {
		if again := traffic.TCPInfo(buf[:n]).U64(traffic.TcpiBytesReceived); again != nil && int64(*again) == a.Bytes {
			a.Waiting = int64(mem[traffic.MemRmemAlloc])
		}
	}
	return a
}

// Reading asks the kernel about the socket. The error says that it is gone.
func (w *Wire) Reading() (*traffic.Reading, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, fmt.Errorf("the socket is closed")
	}
	var r traffic.Reading
	buf := make([]byte, 512)
	n, err := socket.Getsockopt(w.fd, unix.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&buf[0]), len(buf))
	if err != nil {
		return nil, fmt.Errorf("TCP_INFO: %w", err)
	}
	r.Info = buf[:n]
	r.Mem = w.memory()
	if v, err := unix.IoctlGetInt(w.fd, unix.SIOCINQ); err == nil {
		n := int64(v)
		r.InQ = &n
	}
	if v, err := unix.IoctlGetInt(w.fd, unix.SIOCOUTQ); err == nil {
		n := int64(v)
		r.OutQ = &n
	}
	if s, err := unix.GetsockoptString(w.fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION); err == nil {
		r.Congestion = s
	}
	return &r, nil
}

func (w *Wire) memory() []uint32 { return socket.Memory(w.fd) }

// Option reads an option of the socket into buf, and returns how much of it the kernel has filled.
func (w *Wire) Option(level, option int, buf []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return 0, fmt.Errorf("the socket is closed")
	}
	return socket.Getsockopt(w.fd, level, option, unsafe.Pointer(&buf[0]), len(buf))
}
