package agent

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

var errParent = errors.New("the process that started the agent is gone")

// guardProcess ends the agent, with ofParent, when its parent ends: another process may still hold standard input open
// then. stop ends the guarding.
func guardProcess(cancel context.CancelCauseFunc, ofParent bool) (stop func()) {
	if !ofParent {
		return func() {}
	}
	parent, ok := openParent()
	if !ok {
		return func() {} // the end of standard input and the job object of the process that started it still end it
	}
	over, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		windows.CloseHandle(parent)
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		first, err := windows.WaitForMultipleObjects([]windows.Handle{parent, over}, false, windows.INFINITE)
		if err == nil && first == windows.WAIT_OBJECT_0 {
			cancel(errParent)
		}
	}()
	return func() {
		windows.SetEvent(over)
		<-done
		windows.CloseHandle(parent)
		windows.CloseHandle(over)
	}
}

// openParent is the process that started this one. Windows reuses the numbers of processes: a process that began later
// than this one is another.
func openParent() (windows.Handle, bool) {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false,
		uint32(os.Getppid()))
	if err != nil {
		return 0, false
	}
	theirs, err1 := began(h)
	ours, err2 := began(windows.CurrentProcess())
	if err1 != nil || err2 != nil || theirs > ours {
		windows.CloseHandle(h)
		return 0, false
	}
	return h, true
}

// began is the start of a process, in 100 ns.
func began(h windows.Handle) (int64, error) {
	var creation, exit, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &creation, &exit, &kernel, &user); err != nil {
		return 0, err
	}
	return creation.Nanoseconds() / 100, nil
}

// unlinkSelf does nothing: the file of a running program cannot be removed, so the sender removes it later.
func unlinkSelf(io.Writer) {}
