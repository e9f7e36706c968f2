package failure

import (
	"syscall"

	"golang.org/x/sys/windows"
)

var socketErrnos = map[syscall.Errno]syscall.Errno{
	syscall.ECONNREFUSED:  windows.WSAECONNREFUSED,
	syscall.EHOSTUNREACH:  windows.WSAEHOSTUNREACH,
	syscall.ENETUNREACH:   windows.WSAENETUNREACH,
	syscall.EADDRNOTAVAIL: windows.WSAEADDRNOTAVAIL,
	syscall.EADDRINUSE:    windows.WSAEADDRINUSE,
	syscall.ECONNRESET:    windows.WSAECONNRESET,
	syscall.EPIPE:         windows.WSAECONNABORTED,
	syscall.ETIMEDOUT:     windows.WSAETIMEDOUT,
	syscall.EMFILE:        windows.WSAEMFILE,
	syscall.EACCES:        windows.WSAEACCES,
}

// systemErrno returns the number of Windows sockets for one of POSIX, which Go numbers differently on Windows. The
// error's text cannot be compared: it depends on the language of the system.
func systemErrno(n syscall.Errno) syscall.Errno {
	if number, ok := socketErrnos[n]; ok {
		return number
	}
	return n
}
