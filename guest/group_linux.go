package guest

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a command into a process group of its own, which ends as a whole when the command is cancelled; it dies with
// this process.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
