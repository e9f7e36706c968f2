package job

import (
	"os"
	"syscall"
)

// statusSignals request the status of a run: kill -USR1.
func statusSignals() []os.Signal { return []os.Signal{syscall.SIGUSR1} }
