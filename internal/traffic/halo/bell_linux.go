package halo

import (
	"linerate/internal/traffic/tcp"
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bell wakes a thread that waits for a number to change, by the kernel's futex on that number: one call wakes the
// thread, without the runtime's scheduler.
type bell struct{ waits *atomic.Uint32 }

func newBell() bell { return bell{new(atomic.Uint32)} }

const (
	futexWaitPrivate = 0x80
	futexWakePrivate = 0x81
)

func (b bell) ring(number *atomic.Uint32) {
	if b.waits.Load() != 0 {
		_, _, _ = syscall.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(number)), futexWakePrivate, 1, 0, 0, 0)
	}
}

// await sleeps while the number is what it was. It sleeps for holdTime at most before the runtime has its turn, as a
// read that holds does.
func (b bell) await(number *atomic.Uint32, was uint32, over *atomic.Bool) {
	b.waits.Store(1)
	defer b.waits.Store(0)
	limit := unix.NsecToTimespec(tcp.HoldTime.Nanoseconds())
	for number.Load() == was && !over.Load() {
		_, _, errno := syscall.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(number)), futexWaitPrivate, uintptr(was),
			uintptr(unsafe.Pointer(&limit)), 0, 0)
		if errno == unix.ETIMEDOUT || errno == unix.EINTR { // a signal may be the runtime's, which wants to stop this thread
			runtime.Gosched()
		}
	}
}
