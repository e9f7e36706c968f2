package guest

import (
	"os/exec"
	"runtime"
	"syscall"
)

// ownGroup puts a command into a process group of its own, which ends as a whole when the command is cancelled; it dies with
// this process, however that ends. The calling goroutine keeps its thread until release, which is for after the command's end: the
// kernel's signal is of the thread that forked.
func ownGroup(cmd *exec.Cmd) (release func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if cmd.Cancel != nil { // it has a context
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
