//go:build !windows

package failure

import "syscall"

// systemErrno returns the system's number for one of POSIX.
func systemErrno(n syscall.Errno) syscall.Errno { return n }
