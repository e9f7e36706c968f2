package placement

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// AllowedCores returns the cores that the calling thread may run on; nil: unknown.
func AllowedCores() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	var out []int
	for c := range MostCores {
		if set.IsSet(c) {
			out = append(out, c)
		}
	}
	return out
}

// nameThread names the calling thread, which must be locked, and returns its number and the name that it had.
func nameThread(name string) (thread int, before string) {
	var old [16]byte
	if unix.Prctl(unix.PR_GET_NAME, uintptr(unsafe.Pointer(&old[0])), 0, 0, 0) == nil {
		before = unix.ByteSliceToString(old[:])
	}
	if b, err := unix.BytePtrFromString(name); err == nil {
		_ = unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(b)), 0, 0, 0)
	}
	return unix.Gettid(), before
}

// pinThread lets the calling thread, which must be locked, run on these cores alone.
func pinThread(cores []int) error {
	var set unix.CPUSet
	for _, c := range cores {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("%s: %w; this process may not use them, or this host does not have them", CoresText(cores), err)
	}
	return nil
}

// schedResetOnFork is SCHED_FLAG_RESET_ON_FORK of linux/sched.h: what the thread starts is ordinary.
const schedResetOnFork = 1

// Precede runs the calling thread, which must be locked, before all ordinary ones (SCHED_FIFO, sched(7)) until the
// returned function is called. It needs CAP_SYS_NICE; without it nothing changes.
func Precede() (back func()) {
	was, err := unix.SchedGetAttr(0, 0)
	if err != nil || unix.SchedSetAttr(0, &unix.SchedAttr{Policy: unix.SCHED_FIFO, Priority: 1, Flags: schedResetOnFork},
		0) != nil {
		return func() {}
	}
	return func() { _ = unix.SchedSetAttr(0, was, 0) }
}
