package traffic

import (
	"fmt"
	"io"
	"linerate/internal/base/gomaxprocs"
	"net"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// wire is one data connection: a blocking socket outside of the runtime's poller, because a call that sleeps in the
// kernel needs one wake-up, not two.
type wire struct {
	fd      int
	instead connection // what a test puts in place of the socket; nil: none
	peer    string
	mu      sync.Mutex // guards closed against a late Interrupt, which must not hit a reused descriptor
	closed  bool
	drained bool
	holds   bool          // see hold
	full    bool          // the last read filled its buffer
	waited  bool          // the last write may have slept
	pause   time.Duration // that a read which finds nothing sleeps before it waits, 0: none
	pending []byte
}

// newWire takes the connection over; c must not be used afterwards.
func newWire(c *net.TCPConn, subject string) (*wire, error) {
	defer c.Close()
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, connectError(subject, err)
	}
	w := &wire{fd: -1, peer: subject}
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
		return nil, connectError(subject, err)
	}
	return w, nil
}

// Read takes what is there, or sleeps until something is. Package runtime is told only of a sleep that lasts, see hold.
func (w *wire) Read(p []byte) (int, error) {
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
			return 0, connectError(w.peer, errno)
		}
	}
}

// Write hands over all of p. Of a small message it finds out whether it slept.
func (w *wire) Write(p []byte) (int, error) {
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
			return written, connectError(w.peer, errno)
		}
	}
	return written, nil
}

// slept says whether the last write may have slept.
func (w *wire) slept() bool { return w.waited }

// try receives or sends what can be without sleeping.
func (w *wire) try(call uintptr, p []byte) (int, syscall.Errno) {
	return raw(call, w.fd, p, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
}

// call receives or sends. What cannot sleep long needs no help of package runtime, whose bookkeeping would be a tenth of
// the cost of a small message.
func (w *wire) call(call uintptr, p []byte, flags int) (int, syscall.Errno) {
	if w.holds || flags&unix.MSG_DONTWAIT != 0 {
		return raw(call, w.fd, p, flags)
	}
	n, _, errno := syscall.Syscall6(call, uintptr(w.fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), uintptr(flags), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

func raw(call uintptr, fd int, p []byte, flags int) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), uintptr(flags), 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// holdTime is how long a call keeps its processor slot while it sleeps: package runtime takes one away after 10 ms, and
// its garbage collector waits for it.
const holdTime = 4 * time.Millisecond

// hold lets reads and writes keep their processor slot while they sleep, for holdTime; after that they give it up and
// wait for the socket. The runtime takes a slot away from a call that it was told of and that lasts, and then looks every
// 20 us for more to take (measured: 0.1 to 0.16 cores with four senders on one core).
func (w *wire) hold() {
	t := unix.NsecToTimeval(holdTime.Nanoseconds())
	w.holds = unix.SetsockoptTimeval(w.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &t) == nil &&
		unix.SetsockoptTimeval(w.fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &t) == nil
}

// await sleeps until the socket is ready, has an error or is closed; the call after it tells which.
func (w *wire) await(events int16) {
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(w.fd), Events: events}}, -1)
}

// closeWrite tells the other end that nothing more comes.
func (w *wire) closeWrite() error {
	if w.instead != nil {
		return w.instead.CloseWrite()
	}
	return unix.Shutdown(w.fd, unix.SHUT_WR)
}

// interrupt makes calls that sleep return, now and later.
func (w *wire) interrupt() {
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

// close closes the socket. Without drained, what is still in its buffer is thrown away, so that it cannot disturb what
// is measured next.
func (w *wire) close() {
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

// held is what has arrived and was not read. With an empty queue the memory that is still in use belongs to segments
// that wait for one before them; it is an upper bound of their bytes. Memory is asked first: what arrives in between
// is then in the queue. -1 if the kernel does not say.
func (w *wire) held() int64 {
	mem := w.memory()
	in, err := unix.IoctlGetInt(w.fd, unix.SIOCINQ)
	if err != nil {
		return -1
	}
	if in == 0 && mem != nil {
		return int64(mem[memRmemAlloc])
	}
	return int64(in)
}

// arrival is what has arrived, read or not (tcpi_bytes_received, since Linux 4.1).
func (w *wire) arrival() arrival {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return arrival{}
	}
	var buf [tcpiBytesReceived + 8]byte
	before := Now()
	n, err := getsockopt(w.fd, unix.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&buf[0]), len(buf))
	if err != nil {
		return arrival{}
	}
	bytes := tcpInfo(buf[:n]).u64(tcpiBytesReceived)
	if bytes == nil {
		return arrival{}
	}
	a := arrival{stamp: (before + Now()) / 2, bytes: int64(*bytes)}
	in, err := unix.IoctlGetInt(w.fd, unix.SIOCINQ)
	if err != nil {
		return arrival{}
	}
	a.unread = int64(in)
	if in > 0 {
		return a
	}
	// With an empty queue memory belongs to segments that wait for one before them, if nothing came meanwhile.
	mem := w.memory()
	if mem == nil || mem[memRmemAlloc] == 0 {
		return a
	}
	if n, err := getsockopt(w.fd, unix.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&buf[0]), len(buf)); err == nil {
		if again := tcpInfo(buf[:n]).u64(tcpiBytesReceived); again != nil && int64(*again) == a.bytes {
			a.waiting = int64(mem[memRmemAlloc])
		}
	}
	return a
}

// read asks the kernel about the socket. Nil with the reason when it is gone.
func (w *wire) reading() (*reading, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, fmt.Errorf("the socket is closed")
	}
	var r reading
	buf := make([]byte, 512)
	n, err := getsockopt(w.fd, unix.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&buf[0]), len(buf))
	if err != nil {
		return nil, fmt.Errorf("TCP_INFO: %w", err)
	}
	r.info = buf[:n]
	r.mem = w.memory()
	if v, err := unix.IoctlGetInt(w.fd, unix.SIOCINQ); err == nil {
		n := int64(v)
		r.inQ = &n
	}
	if v, err := unix.IoctlGetInt(w.fd, unix.SIOCOUTQ); err == nil {
		n := int64(v)
		r.outQ = &n
	}
	if s, err := unix.GetsockoptString(w.fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION); err == nil {
		r.congestion = s
	}
	return &r, nil
}

func (w *wire) memory() []uint32 {
	var mem [unix.SK_MEMINFO_VARS]uint32
	n, err := getsockopt(w.fd, unix.SOL_SOCKET, unix.SO_MEMINFO, unsafe.Pointer(&mem[0]), int(unsafe.Sizeof(mem)))
	if err != nil {
		return nil
	}
	return mem[:n/4]
}

// getsockopt returns how much the kernel has filled, which x/sys's wrappers drop.
func getsockopt(fd, level, option int, p unsafe.Pointer, size int) (int, error) {
	n := uint32(size)
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), uintptr(level), uintptr(option),
		uintptr(p), uintptr(unsafe.Pointer(&n)), 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// reserve makes room for threads that are in system calls most of the time.
func reserve(threads int) (release func()) { return gomaxprocs.Reserve(threads) }

// bindDevice is what a socket's control function does to bind it to an interface.
func bindDevice(name string) func(string, string, syscall.RawConn) error {
	if name == "" {
		return nil
	}
	return func(_, _ string, c syscall.RawConn) error {
		var failed error
		if err := c.Control(func(fd uintptr) { failed = unix.BindToDevice(int(fd), name) }); err != nil {
			return err
		}
		if failed != nil {
			return &Error{Code: CodeAddress, Subject: "device " + name, Text: fmt.Sprintf("cannot bind to it: %v; look at its name, or leave it out", failed)}
		}
		return nil
	}
}
