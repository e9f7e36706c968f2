package rdma

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// MemoryFile makes a file of a program in memory alone; it vanishes when the last one that has it open closes it.
func MemoryFile(name string, b []byte) (path string, keep io.Closer, err error) {
	fail := func(err error) (string, io.Closer, error) {
		return "", nil, &failure.Error{Code: failure.CodeInternal, Subject: name,
			Text: fmt.Sprintf("the program that was sent cannot be kept in memory: %v", err)}
	}
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return fail(err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(b); err != nil {
		f.Close()
		return fail(err)
	}
	return fmt.Sprintf("/proc/self/fd/%d", fd), f, nil
}

// monotonic reads CLOCK_MONOTONIC, which all processes of this machine share.
func monotonic() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return traffic.Now()
	}
	return t.Nano()
}
