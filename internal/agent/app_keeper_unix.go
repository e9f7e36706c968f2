//go:build unix

package agent

import (
	"os/exec"
	"syscall"
)

// apart gives a process a session of its own: whoever ends the agent's group leaves it alone.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
