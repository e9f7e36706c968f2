package agent

import (
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

var errParent = errors.New("the process that started the agent is gone")

// guardProcess ends the agent, with ofParent, when its parent ends: something else may still hold standard input open
// then. It returns how to stop guarding.
func guardProcess(cancel context.CancelCauseFunc, ofParent bool) (stop func()) {
	if !ofParent {
		return func() {}
	}
	parent, ok := openParent()
	if !ok {
		return func() {} // the end of standard input, and the job object of the one who started it, are left
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

// openParent is the process that started this one. Windows gives numbers of processes again: one that began later than
// this process is another.
func openParent() (windows.Handle, bool) {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(os.Getppid()))
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

// began is when a process began, in 100 ns.
func began(h windows.Handle) (int64, error) {
	var creation, exit, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &creation, &exit, &kernel, &user); err != nil {
		return 0, err
	}
	return creation.Nanoseconds() / 100, nil
}

// unlinkSelf has nothing to do here: a running program's file cannot be removed, so who sent it removes it.
func unlinkSelf(io.Writer) (atEnd func()) { return func() {} }
