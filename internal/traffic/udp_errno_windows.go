package traffic

import (
	"errors"

	"golang.org/x/sys/windows"
)

// noBufferSpace says that the interface's queue is full.
func noBufferSpace(err error) bool { return errors.Is(err, windows.WSAENOBUFS) }
