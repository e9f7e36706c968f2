package traffic

import "golang.org/x/sys/unix"

// schedResetOnFork is SCHED_FLAG_RESET_ON_FORK of linux/sched.h: what the thread starts is ordinary.
const schedResetOnFork = 1

// Precede has the calling thread, which must be locked, go before all ordinary ones (SCHED_FIFO, sched(7)) until what it returns is called; that is never nil. It needs
// root's rights (CAP_SYS_NICE); without them everything stays as it is.
func Precede() (back func()) {
	was, err := unix.SchedGetAttr(0, 0)
	if err != nil || unix.SchedSetAttr(0, &unix.SchedAttr{Policy: unix.SCHED_FIFO, Priority: 1, Flags: schedResetOnFork}, 0) != nil {
		return func() {}
	}
	return func() { _ = unix.SchedSetAttr(0, was, 0) }
}
