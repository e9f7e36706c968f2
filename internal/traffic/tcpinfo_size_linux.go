package traffic

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// TCPInfoSize is how many bytes of struct tcp_info this kernel fills; 0: it could not be asked.
func TCPInfoSize() int {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	var buf [512]byte
	n, err := getsockopt(fd, unix.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&buf[0]), len(buf))
	if err != nil {
		return 0
	}
	return n
}
