//go:build unix && !linux

package traffic

import (
	"errors"
	"syscall"
)

// noBufferSpace says that the interface's queue is full.
func noBufferSpace(err error) bool { return errors.Is(err, syscall.ENOBUFS) }
