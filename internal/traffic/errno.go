package traffic

import "syscall"

// IsInUse says whether err is of an address or port that another socket has.
func IsInUse(err error) bool {
	return isErrno(err, syscall.EADDRINUSE, "normally permitted")
}

// IsNotOurs says whether err is of an address that this host does not have.
func IsNotOurs(err error) bool {
	return isErrno(err, syscall.EADDRNOTAVAIL, "not valid in its context")
}

// IsForbidden says whether err is of something that this user may not do.
func IsForbidden(err error) bool {
	return isErrno(err, syscall.EACCES, "forbidden") || isErrno(err, syscall.EPERM, "")
}
