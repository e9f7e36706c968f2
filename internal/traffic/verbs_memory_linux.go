package traffic

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// MemoryFile makes a program of bytes that is in no folder: nothing of it is left when the last who has it open is gone.
func MemoryFile(name string, b []byte) (path string, keep io.Closer, err error) {
	fail := func(err error) (string, io.Closer, error) {
		return "", nil, &Error{Code: CodeInternal, Subject: name, Text: fmt.Sprintf("the program that was sent cannot be kept in memory: %v", err)}
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
