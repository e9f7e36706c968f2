package socket

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
)

// Getsockopt returns the number of bytes that the kernel has filled, which x/sys's wrappers drop.
func Getsockopt(fd, level, option int, p unsafe.Pointer, size int) (int, error) {
	n := uint32(size)
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), uintptr(level), uintptr(option),
		uintptr(p), uintptr(unsafe.Pointer(&n)), 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// Memory returns SO_MEMINFO of a socket; nil: unknown.
func Memory(fd int) []uint32 {
	var mem [unix.SK_MEMINFO_VARS]uint32
	n, err := Getsockopt(fd, unix.SOL_SOCKET, unix.SO_MEMINFO, unsafe.Pointer(&mem[0]), int(unsafe.Sizeof(mem)))
	if err != nil {
		return nil
	}
	return mem[:n/4]
}

// BindDevice returns a control function that binds a socket to an interface.
func BindDevice(name string) func(string, string, syscall.RawConn) error {
	if name == "" {
		return nil
	}
	return func(_, _ string, c syscall.RawConn) error {
		var failed error
		if err := c.Control(func(fd uintptr) { failed = unix.BindToDevice(int(fd), name) }); err != nil {
			return err
		}
		if failed != nil {
			return &failure.Error{Code: failure.CodeAddress, Subject: "device " + name,
				Text: fmt.Sprintf("cannot bind to it: %v; look at its name, or leave it out", failed)}
		}
		return nil
	}
}

// MaxPacing sets SO_MAX_PACING_RATE, in bytes per second, and reads it back: kernels before 4.20 keep 32 bits of it.
func MaxPacing(fd int, r unit.BitRate) error {
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
	n, err := Getsockopt(fd, unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE, unsafe.Pointer(&have), int(unsafe.Sizeof(have)))
	if err != nil {
		return fmt.Errorf("%s cannot be read back: %w", name, err)
	}
	if n != int(unsafe.Sizeof(have)) || have != want {
		return fmt.Errorf("%s reads back as another rate than %s on this kernel", name, r)
	}
	return nil
}

// markSocket sets the type of service first, which also sets a priority of the kernel's own choice (ip(7)), then the
// priority. What comes back is what the socket has then.
func markSocket(fd uintptr, ipv4 bool, m ClassMark) (effect string, err error) {
	tos, err := setTOS(int(fd), ipv4, m)
	if err == nil && m.Priority >= 0 {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PRIORITY, m.Priority)
		if err != nil {
			err = fmt.Errorf("SO_PRIORITY %d: %w", m.Priority, err)
		}
	}
	have := ClassMark{DSCP: tos >> 2, Priority: -1}
	if m.Priority >= 0 {
		if p, e := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PRIORITY); e == nil {
			have.Priority = p
		}
	}
	return have.String(), err
}

// TCPInfoSize is how many bytes of struct tcp_info this kernel fills; 0: it could not be asked.
func TCPInfoSize() int {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var buf [512]byte
	n, err := Getsockopt(fd, unix.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&buf[0]), len(buf))
	if err != nil {
		return 0
	}
	return n
}
