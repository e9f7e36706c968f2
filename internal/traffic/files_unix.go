//go:build unix

package traffic

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// spareFiles are descriptors beside the connections: the port, the poller, files that facts are read from.
const spareFiles = 16

// checkFiles says before anything is opened that this process may not have so many connections. The Go runtime has
// raised the soft limit to the hard one.
func checkFiles(connections int) error {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return nil
	}
	used := 0
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		used = len(entries)
	}
	if need := used + connections + spareFiles; uint64(need) > uint64(limit.Cur) {
		return &Error{Code: CodeLimit, Subject: "streams", Text: fmt.Sprintf("%d connections need %d open files, and this host's limit for the agent is %d; "+
			"raise it there (ulimit -n, or LimitNOFILE of its service), or ask for at most %d", connections, need, limit.Cur, max(0, int(limit.Cur)-used-spareFiles))}
	}
	return nil
}
