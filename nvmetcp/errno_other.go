//go:build !windows

package nvmetcp

import "syscall"

// systemErrno converts a POSIX errno to the system's own.
func systemErrno(n syscall.Errno) syscall.Errno { return n }
