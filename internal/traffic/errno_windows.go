package traffic

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// systemErrno is the number of Windows sockets for one of POSIX, which Go has numbers of its own for here. The words of
// an error depend on the language of the system.
func systemErrno(n syscall.Errno) syscall.Errno {
	switch n {
	case syscall.ECONNREFUSED:
		return windows.WSAECONNREFUSED
	case syscall.EHOSTUNREACH:
		return windows.WSAEHOSTUNREACH
	case syscall.ENETUNREACH:
		return windows.WSAENETUNREACH
	case syscall.EADDRNOTAVAIL:
		return windows.WSAEADDRNOTAVAIL
	case syscall.EADDRINUSE:
		return windows.WSAEADDRINUSE
	case syscall.ECONNRESET:
		return windows.WSAECONNRESET
	case syscall.EPIPE:
		return windows.WSAECONNABORTED
	case syscall.ETIMEDOUT:
		return windows.WSAETIMEDOUT
	case syscall.EMFILE:
		return windows.WSAEMFILE
	case syscall.EACCES:
		return windows.WSAEACCES
	}
	return n
}
