//go:build !windows

package traffic

import "syscall"

// systemErrno is a number of POSIX in the system's own.
func systemErrno(n syscall.Errno) syscall.Errno { return n }
