package connect

import (
	"os/exec"
	"syscall"
)

// setAttributes puts the child into its own process group. This system has no signal at the parent's death; an agent
// ends at the end of its standard input.
func setAttributes(cmd *exec.Cmd, _ bool) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
