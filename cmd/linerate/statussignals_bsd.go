//go:build darwin || freebsd || netbsd || openbsd

package main

import (
	"os"
	"syscall"
)

// statusSignals ask a run where it is: kill -USR1, and Ctrl-T at a terminal.
func statusSignals() []os.Signal { return []os.Signal{syscall.SIGUSR1, syscall.SIGINFO} }
