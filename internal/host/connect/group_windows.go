package connect

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

func setAttributes(cmd *exec.Cmd, _ bool) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

// job is a Job Object that kills its processes when its last handle closes, which also happens when this process dies.
type job windows.Handle

func (j job) Close() error { return windows.CloseHandle(windows.Handle(j)) }

// adopt puts a started process into a job of its own. Children that it started before are not in the job.
func adopt(p *os.Process) (io.Closer, error) {
	h, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("create a job object: %w", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(h, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = assign(h, p.Pid)
	}
	if err != nil {
		windows.CloseHandle(h)
		return nil, fmt.Errorf("job object of process %d: %w", p.Pid, err)
	}
	return job(h), nil
}

func assign(h windows.Handle, pid int) error {
	proc, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(proc)
	return windows.AssignProcessToJobObject(h, proc)
}

// killTree ends the process; the job ends the rest when it is closed.
func killTree(p *os.Process) error { return p.Kill() }

// askToEnd kills on Windows, which has no gentler way.
func askToEnd(p *os.Process) error { return p.Kill() }

func signalOf(*os.ProcessState) (int, bool) { return 0, false }
