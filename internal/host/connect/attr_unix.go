//go:build linux || freebsd

package connect

import (
	"os/exec"
	"syscall"
)

// setAttributes puts the child into its own process group and asks the kernel to kill it when this process dies (prctl
// PR_SET_PDEATHSIG, procctl PROC_PDEATHSIG_CTL): kill -9 of the controller leaves nothing behind. With gentle the
// signal is SIGTERM.
func setAttributes(cmd *exec.Cmd, gentle bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if gentle {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	}
}
