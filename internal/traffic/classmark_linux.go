package traffic

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// markSocket sets the type of service first, which also sets a priority of the kernel's own choice (ip(7)), then the priority. What comes
// back is what the socket has then.
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
