//go:build unix

package traffic

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// setTOS gives a socket the code point and says which type of service it has then. TCP keeps the two bits of ECN for itself.
func setTOS(fd int, ipv4 bool, m ClassMark) (tos int, err error) {
	level, option := unix.IPPROTO_IP, unix.IP_TOS
	if !ipv4 {
		level, option = unix.IPPROTO_IPV6, unix.IPV6_TCLASS
	}
	if err = unix.SetsockoptInt(fd, level, option, m.DSCP<<2); err != nil {
		err = fmt.Errorf("DSCP %d: %w", m.DSCP, err)
	}
	tos, again := unix.GetsockoptInt(fd, level, option)
	if again == nil && err == nil && tos>>2 != m.DSCP {
		err = fmt.Errorf("the system gave the socket DSCP %d in place of %d", tos>>2, m.DSCP)
	}
	return tos, err
}
