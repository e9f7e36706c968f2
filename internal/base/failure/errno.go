package failure

import "syscall"

// IsInUse reports whether err is about an address or port that another socket uses.
func IsInUse(err error) bool {
	return IsErrno(err, syscall.EADDRINUSE, "normally permitted")
}

// IsNotOurs reports whether err is about an address that this host does not have.
func IsNotOurs(err error) bool {
	return IsErrno(err, syscall.EADDRNOTAVAIL, "not valid in its context")
}

// IsForbidden reports whether err is about something that this user may not do.
func IsForbidden(err error) bool {
	return IsErrno(err, syscall.EACCES, "forbidden") || IsErrno(err, syscall.EPERM, "")
}
