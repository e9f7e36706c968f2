package measure

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
)

// wire is one data connection: a blocking socket outside of the runtime's poller, because a call that sleeps in the
// kernel needs one wake-up, not two. Calls are ordinary system calls: a raw one would hold its processor slot while it
// sleeps, keep the garbage collector waiting, and be restarted by every preemption signal.
type wire struct {
	fd      int
	peer    string
	mu      sync.Mutex // guards closed against a late Interrupt, which must not hit a reused descriptor
	closed  bool
	drained bool
	ready   bool // the last read filled its buffer
	reads   eager
	writes  eager
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

// Read first asks without sleeping when the last read found more than it could take: such a call needs no help of the
// runtime, whose bookkeeping would be a tenth of the cost of a small message.
func (w *wire) Read(p []byte) (int, error) {
	if w.ready && len(p) > 0 && (w.pause > 0 || w.reads.worth()) {
		n, errno := w.try(unix.SYS_RECVFROM, p)
		w.reads.was(errno == 0)
		w.ready = errno == 0 && n == len(p)
		if errno == 0 && n > 0 {
			return n, nil
		}
		if errno == unix.EAGAIN && w.pause > 0 {
			t := unix.NsecToTimespec(w.pause.Nanoseconds())
			_ = unix.Nanosleep(&t, nil) // a signal cuts it short
		}
	}
	for {
		n, err := unix.Read(w.fd, p)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 0, connectError(w.peer, err)
		case n == 0:
			return 0, io.EOF
		default:
			w.ready = n == len(p)
			return n, nil
		}
	}
}

// Write asks without sleeping first where the message is small, for the same reason.
func (w *wire) Write(p []byte) (int, error) {
	written := 0
	if len(p) > 0 && len(p) <= int(smallMessages) && w.writes.worth() {
		n, errno := w.try(unix.SYS_SENDTO, p)
		w.writes.was(errno == 0)
		if errno == 0 {
			written = n
		}
	}
	w.waited = written < len(p)
	for written < len(p) {
		n, err := unix.Write(w.fd, p[written:])
		if n > 0 {
			written += n
		}
		if err != nil && err != syscall.EINTR {
			return written, connectError(w.peer, err)
		}
	}
	return written, nil
}

// slept says whether the last write may have slept.
func (w *wire) slept() bool { return w.waited }

// eager decides whether a call is first made without sleeping. A call in vain costs more than the runtime's help saves:
// after the first in a row the next one is left out, then the next 3, 7 and so on.
type eager struct{ vain, skip uint8 }

// mostVain bounds what is left out, at 2^mostVain - 1 calls.
const mostVain = 5

func (e *eager) worth() bool {
	if e.skip > 0 {
		e.skip--
		return false
	}
	return true
}

func (e *eager) was(useful bool) {
	if useful {
		e.vain = 0
		return
	}
	e.vain = min(e.vain+1, mostVain)
	e.skip = 1<<e.vain - 1
}

// try receives or sends what can be without sleeping.
func (w *wire) try(call uintptr, p []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(call, uintptr(w.fd), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)),
		unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

// closeWrite tells the other end that nothing more comes.
func (w *wire) closeWrite() error { return unix.Shutdown(w.fd, unix.SHUT_WR) }

// interrupt makes calls that sleep return, now and later.
func (w *wire) interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
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

// reserve makes room for threads that are in system calls most of the time: a thread that returns from one needs a
// processor slot, and waiting for it would be measured. The number only rises; lowering it stops the world, perhaps
// in the middle of another measurement.
func reserve(threads int) {
	if want := threads + 4; runtime.GOMAXPROCS(0) < want {
		runtime.GOMAXPROCS(want)
	}
}

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
