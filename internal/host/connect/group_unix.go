//go:build unix

package connect

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// killTree kills the process group of p, which p leads.
func killTree(p *os.Process) error {
	err := syscall.Kill(-p.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// askToEnd sends SIGTERM only to p.
func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// adopt does nothing on Unix: the group and the signal at the parent's death are set at the fork.
func adopt(*os.Process) (io.Closer, error) { return nil, nil }

func signalOf(s *os.ProcessState) (int, bool) {
	w, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !w.Signaled() {
		return 0, false
	}
	return int(w.Signal()), true
}
