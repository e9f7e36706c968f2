//go:build darwin || freebsd || netbsd || openbsd

package job

import (
	"os"
	"syscall"
)

// statusSignals request the status of a run: kill -USR1, and Ctrl-T at a terminal.
func statusSignals() []os.Signal { return []os.Signal{syscall.SIGUSR1, syscall.SIGINFO} }
