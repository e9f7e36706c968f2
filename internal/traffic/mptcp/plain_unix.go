//go:build unix

package mptcp

import (
	"errors"

	"golang.org/x/sys/unix"
)

// isPlain reports whether an option of MPTCP was refused because the socket is one of TCP.
func isPlain(err error) bool {
	return errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOPROTOOPT)
}
