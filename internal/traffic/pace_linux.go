package traffic

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
)

const (
	tcpNotSentLowAt = 25 // include/uapi/linux/tcp.h
	// pacedAhead is how much of a paced stream may wait in the kernel, in seconds, beside pacedLeast bytes: the rest of what
	// the buffer has room for would only be thrown away at the end.
	pacedAhead = 0.004
	pacedLeast = 128 << 10
)

// pace makes the kernel space the bytes of this connection. TCP does so by itself, whatever the queueing discipline.
func (w *wire) pace(r unit.BitRate) error {
	if err := maxPacing(w.fd, r); err != nil {
		return err
	}
	// Without it the sender only has more bytes under way.
	_ = unix.SetsockoptInt(w.fd, unix.IPPROTO_TCP, tcpNotSentLowAt, max(pacedLeast, int(float64(r)/8*pacedAhead)))
	return nil
}

// maxPacing sets SO_MAX_PACING_RATE, in bytes per second, and reads it back: kernels before 4.20 keep 32 bits of it.
func maxPacing(fd int, r unit.BitRate) error {
	const name = "SO_MAX_PACING_RATE"
	want := uint64(r) / 8
	if unsafe.Sizeof(uintptr(0)) < 8 || want < 1 {
		return fmt.Errorf("%s does not take %s on this system", name, r)
	}
	_, _, errno := unix.Syscall6(unix.SYS_SETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE,
		uintptr(unsafe.Pointer(&want)), unsafe.Sizeof(want), 0)
	if errno != 0 {
		return fmt.Errorf("%s: %w", name, errno)
	}
	var have uint64
	n, err := getsockopt(fd, unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE, unsafe.Pointer(&have), int(unsafe.Sizeof(have)))
	if err != nil {
		return fmt.Errorf("%s cannot be read back: %w", name, err)
	}
	if n != int(unsafe.Sizeof(have)) || have != want {
		return fmt.Errorf("%s reads back as another rate than %s on this kernel", name, r)
	}
	return nil
}
