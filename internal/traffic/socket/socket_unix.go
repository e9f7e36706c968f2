//go:build unix

package socket

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
)

// spareFiles is the number of descriptors apart from the connections: the port, the poller, files of facts.
const spareFiles = 16

// CheckFiles refuses more connections than this process may have, before anything is opened. The Go runtime has raised
// the soft limit to the hard one.
func CheckFiles(connections int) error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return nil
	}
	used := 0
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		used = len(entries)
	}
	if need := used + connections + spareFiles; uint64(need) > uint64(limit.Cur) {
		return &failure.Error{Code: failure.CodeLimit, Subject: "streams",
			Text: fmt.Sprintf("%d connections need %d open files, and this host's limit for the agent is %d; "+
				"raise it there (ulimit -n, or LimitNOFILE of its service), or ask for at most %d", connections, need, limit.Cur,
				max(0, int(limit.Cur)-used-spareFiles))}
	}
	return nil
}

// setTOS gives a socket the code point and says which type of service it has then. TCP keeps the two bits of ECN for
// itself.
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
