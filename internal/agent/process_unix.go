//go:build unix

package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

var errParent = errors.New("the process that started the agent is gone")

// guardProcess ends the agent on SIGTERM and SIGHUP and, with ofParent, when its parent dies: another process may still
// hold standard input open then. A broken pipe is an error of a write, not a signal. stop ends the guarding.
func guardProcess(cancel context.CancelCauseFunc, ofParent bool) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	done := make(chan struct{})
	parent := os.Getppid()
	go func() {
		t := time.NewTicker(500 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case s := <-signals:
				cancel(fmt.Errorf("signal: %v", s))
			case <-t.C:
				if ofParent && os.Getppid() != parent {
					cancel(errParent)
				}
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		signal.Stop(broken)
		close(done)
	}
}

// unlinkSelf removes the file of the program, which goes on running, and the folder that has only that file.
func unlinkSelf(log io.Writer) {
	path, err := os.Executable()
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		fmt.Fprintf(log, "agent: cannot remove its own file: %v\n", err)
		return
	}
	_ = os.Remove(filepath.Dir(path)) // fails, as it should, when the folder has other files
}
