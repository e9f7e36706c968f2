//go:build unix && !linux

package socket

// markSocket sets the type of service; these systems have no priority of a socket.
func markSocket(fd uintptr, ipv4 bool, m ClassMark) (effect string, err error) {
	tos, err := setTOS(int(fd), ipv4, m)
	return ClassMark{DSCP: tos >> 2, Priority: -1}.String(), err
}
