package check

import (
	"os/exec"
	"syscall"
)

// memory is the most that a program had, in bytes.
func memory(cmd *exec.Cmd) int64 {
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		return u.Maxrss * 1024
	}
	return 0
}
