package nvmetcp

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// systemErrno converts a POSIX errno, for which Go invents numbers on Windows, to that of Windows sockets. The text of
// an error depends on the language of the system.
func systemErrno(n syscall.Errno) syscall.Errno {
	switch n {
	case syscall.ECONNREFUSED:
		return windows.WSAECONNREFUSED
	case syscall.EHOSTUNREACH:
		return windows.WSAEHOSTUNREACH
	case syscall.ENETUNREACH:
		return windows.WSAENETUNREACH
	case syscall.ECONNRESET:
		return windows.WSAECONNRESET
	case syscall.EPIPE:
		return windows.WSAECONNABORTED
	case syscall.ENOTCONN:
		return windows.WSAENOTCONN
	case syscall.ETIMEDOUT:
		return windows.WSAETIMEDOUT
	}
	return n
}
