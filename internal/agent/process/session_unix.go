//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// ownSession gives a process a session of its own: it survives when the agent's process group is killed.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
