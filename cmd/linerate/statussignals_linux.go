package main

import (
	"os"
	"syscall"
)

// statusSignals ask a run where it is: kill -USR1.
func statusSignals() []os.Signal { return []os.Signal{syscall.SIGUSR1} }
